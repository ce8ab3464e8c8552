package io.outbox.jdbc.explain;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plans of H2, with a table of a size for an embedded database in memory. */
class H2IndexUseTest extends IndexUseContract {

    private static final Pattern INDEX = Pattern.compile("PUBLIC\\.((?:OUTBOX_\\w+_\\w+|PRIMARY_KEY_\\w+))");
    private static final Pattern SCANNED = Pattern.compile("scanCount: (\\d+)");

    @Override
    TestDatabase database() {
        return TestDatabase.H2;
    }

    @Override
    BigTable data() {
        return new BigTable(
                "(SELECT X AS i FROM SYSTEM_RANGE(0, %d - 1)) AS numbers",
                "CAST(%s AS VARCHAR)", "DATEADD('MILLISECOND', %2$s, TIMESTAMP '%1$s')");
    }

    @Override
    int finished() {
        return 100_000;
    }

    @Override
    int pending() {
        return 20_000;
    }

    @Override
    int rowsPerInsert() {
        return 20_000;
    }

    @Override
    void analyze(HikariDataSource dataSource, String... tables) {
        OutboxRows.execute(dataSource, "ANALYZE");
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
        return "primary_key";
    }

    @Override
    List<Plan> explain(Connection conn, RecordedStatement recorded) throws SQLException {
        String text;
        try (PreparedStatement statement = recorded.prepare(conn, "EXPLAIN ANALYZE ");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            text = rows.getString(1);
        }
        Set<String> indexes = new TreeSet<>();
        Matcher index = INDEX.matcher(text);
        while (index.find()) {
            String name = index.group(1).toLowerCase(Locale.ROOT);
            indexes.add(name.startsWith("primary_key") ? "primary_key" : name);
        }
        long scanned = 0;
        Matcher scan = SCANNED.matcher(text);
        while (scan.find()) {
            scanned += Long.parseLong(scan.group(1));
        }
        boolean sort = text.contains("ORDER BY") && !text.contains("index sorted");
        return List.of(new Plan(text, indexes, text.contains("tableScan"), sort, scanned));
    }
}
