package io.outbox.jdbc.explain;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plans of PostgreSQL, made for the parameters at hand and made for any parameters. */
class PostgresIndexUseTest extends IndexUseContract {

    private static final Pattern INDEX = Pattern.compile("Scan(?: Backward)? (?:using|on) (outbox_\\w+_\\w+)");
    /** An incremental sort does not count: it puts rows of the same time in order, and reads no further than that. */
    private static final Pattern SORT = Pattern.compile("(?m)^\\s*(?:->)?\\s*Sort \\(");

    private static final Pattern NODE = Pattern.compile("Scan.*actual rows=([0-9.]+) loops=(\\d+)");
    private static final Pattern REMOVED = Pattern.compile("Rows Removed by (?:Filter|Index Recheck): (\\d+)");

    @Override
    TestDatabase database() {
        return TestDatabase.POSTGRESQL;
    }

    @Override
    BigTable data() {
        return new BigTable(
                "generate_series(0, %d - 1) AS numbers (i)",
                "CAST(%s AS TEXT)", "TIMESTAMP '%s' + %s * INTERVAL '1 ms'");
    }

    @Override
    void analyze(HikariDataSource dataSource, String... tables) {
        for (String table : tables) {
            OutboxRows.execute(dataSource, "VACUUM ANALYZE " + table);
        }
    }

    @Override
    String pendingIndex(String table) {
        return table + "_pending";
    }

    @Override
    String finishedIndex(String table) {
        return table + "_finished";
    }

    @Override
    String deadIndex(String table) {
        return table + "_dead";
    }

    @Override
    String laneIndex(String table) {
        return table + "_pending_by_type";
    }

    @Override
    String keyedIndex(String table) {
        return table + "_keyed";
    }

    @Override
    String unkeyedIndex(String table) {
        return table + "_unkeyed";
    }

    @Override
    String primaryKey(String table) {
        return table + "_pkey";
    }

    /**
     * For a type, a plan for any is not asked for: it would cost more, which the server finds out before it keeps one.
     */
    @Override
    List<Plan> explain(Connection conn, RecordedStatement recorded) throws SQLException {
        if (recorded.sql().contains("event_type = ?")) {
            return List.of(explain(conn, recorded, "force_custom_plan"));
        }
        return List.of(explain(conn, recorded, "force_custom_plan"), explain(conn, recorded, "force_generic_plan"));
    }

    /** Prepares on the server, because that is where generic plans are made. */
    private static Plan explain(Connection conn, RecordedStatement recorded, String planMode) throws SQLException {
        List<String> types = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (Object parameter : recorded.parameters()) {
            types.add(type(parameter));
            values.add(parameter == null ? "NULL" : "'" + parameter + "'");
        }
        String sql = recorded.sql();
        for (int i = 1; i <= values.size(); i++) {
            sql = sql.replaceFirst("\\?", "\\$" + i);
        }
        String typeList = types.isEmpty() ? "" : "(" + String.join(", ", types) + ")";
        String valueList = values.isEmpty() ? "" : "(" + String.join(", ", values) + ")";
        try (Statement statement = conn.createStatement()) {
            statement.execute("SET LOCAL plan_cache_mode = " + planMode);
            statement.execute("PREPARE recorded " + typeList + " AS " + sql);
            StringBuilder text = new StringBuilder(planMode + ": " + recorded.sql() + "\n");
            try (ResultSet rows =
                    statement.executeQuery("EXPLAIN (ANALYZE, TIMING OFF, COSTS OFF) EXECUTE recorded" + valueList)) {
                while (rows.next()) {
                    text.append(rows.getString(1)).append('\n');
                }
            }
            statement.execute("DEALLOCATE recorded");
            conn.rollback();
            return plan(text.toString());
        }
    }

    private static String type(Object parameter) {
        if (parameter instanceof LocalDateTime) {
            return "timestamp";
        }
        if (parameter instanceof Integer) {
            return "int4";
        }
        if (parameter instanceof Long) {
            return "int8";
        }
        return parameter instanceof Array ? "varchar[]" : "varchar";
    }

    private static Plan plan(String text) {
        Set<String> indexes = new TreeSet<>();
        Matcher index = INDEX.matcher(text);
        while (index.find()) {
            indexes.add(index.group(1));
        }
        return new Plan(
                text, indexes, text.contains("Seq Scan"), SORT.matcher(text).find(), rowsExamined(text));
    }

    /** Adds up what scans returned and what they dropped, which PostgreSQL gives per loop. */
    private static long rowsExamined(String text) {
        double rows = 0;
        long loops = 1;
        for (String line : text.lines().toList()) {
            Matcher node = NODE.matcher(line);
            Matcher removed = REMOVED.matcher(line);
            if (node.find()) {
                loops = Long.parseLong(node.group(2));
                rows += Double.parseDouble(node.group(1)) * loops;
            } else if (removed.find()) {
                rows += Double.parseDouble(removed.group(1)) * loops;
            }
        }
        return Math.round(rows);
    }
}
