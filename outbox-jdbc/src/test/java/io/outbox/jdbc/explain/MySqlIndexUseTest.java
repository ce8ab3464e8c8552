package io.outbox.jdbc.explain;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Plans of MySQL; the rows it reads are counted by the server. */
class MySqlIndexUseTest extends IndexUseContract {

    private static final String DIGITS = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
            + " UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8"
            + " UNION ALL SELECT 9)";
    private static final String NUMBERS = "(SELECT a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d AS i FROM "
            + DIGITS + " a, " + DIGITS + " b, " + DIGITS + " c, " + DIGITS + " e, " + DIGITS
            + " f) AS numbers WHERE i < %d ORDER BY i";

    @Override
    TestDatabase database() {
        return TestDatabase.MYSQL;
    }

    @Override
    BigTable data() {
        return new BigTable(NUMBERS, "CAST(%s AS CHAR)", "TIMESTAMPADD(MICROSECOND, 1000 * %2$s, '%1$s')");
    }

    @Override
    void analyze(HikariDataSource dataSource, String... tables) {
        for (String table : tables) {
            OutboxRows.execute(dataSource, "ANALYZE TABLE " + table);
        }
    }

    @Override
    String pendingIndex(String table) {
        return "idx_status_available";
    }

    @Override
    String finishedIndex(String table) {
        return "idx_status_done";
    }

    @Override
    String laneIndex(String table) {
        return "idx_status_type_available";
    }

    @Override
    String keyedIndex(String table) {
        return "idx_keyed";
    }

    @Override
    String unkeyedIndex(String table) {
        return "idx_unkeyed";
    }

    @Override
    String primaryKey(String table) {
        return "PRIMARY";
    }

    @Override
    List<Plan> explain(Connection conn, RecordedStatement recorded) throws SQLException {
        Set<String> indexes = new TreeSet<>();
        StringBuilder text = new StringBuilder(recorded.sql());
        boolean fullScan = false;
        boolean sort = false;
        try (PreparedStatement statement = recorded.prepare(conn, "EXPLAIN ");
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                String type = rows.getString("type");
                String key = rows.getString("key");
                String extra = String.valueOf(rows.getString("Extra"));
                text.append("\n  ")
                        .append(type)
                        .append(", key ")
                        .append(key)
                        .append(", ")
                        .append(extra);
                fullScan |= "ALL".equals(type) || "index".equals(type);
                sort |= extra.contains("filesort") || extra.contains("temporary");
                if (key != null) {
                    indexes.add(key);
                } else if (extra.contains("optimized away") || extra.contains("No matching min/max row")) {
                    indexes.add(pendingIndex(""));
                }
            }
        }
        long rowsExamined = rowsExamined(conn, recorded);
        return List.of(new Plan(text + "\n  rows " + rowsExamined, indexes, fullScan, sort, rowsExamined));
    }

    private static long rowsExamined(Connection conn, RecordedStatement recorded) throws SQLException {
        long before = handlerReads(conn);
        try (PreparedStatement statement = recorded.prepare(conn, "")) {
            statement.execute();
        }
        return handlerReads(conn) - before;
    }

    private static long handlerReads(Connection conn) throws SQLException {
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
            long reads = 0;
            while (rows.next()) {
                // Filled by SHOW itself, which reads a temporary table.
                if (!rows.getString(1).startsWith("Handler_read_rnd")) {
                    reads += rows.getLong(2);
                }
            }
            return reads;
        }
    }
}
