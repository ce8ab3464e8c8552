package io.outbox.jdbc.support;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;

/** Reads an outbox table with plain JDBC, independently of any store. */
public final class OutboxRows {

    private static final int DONE = 1;

    private OutboxRows() {}

    /** What decides about a row's delivery. */
    public record Row(String eventId, int status, int attempts, String lockedBy, String lastError) {

        public boolean isDone() {
            return status == DONE;
        }
    }

    /** Returns all rows of the default table by event id. */
    public static Map<String, Row> all(DataSource dataSource) {
        return where(dataSource, "1 = 1");
    }

    /** Returns the rows of the default table that meet a condition. */
    public static Map<String, Row> where(DataSource dataSource, String condition) {
        String sql = "SELECT event_id, status, attempts, locked_by, last_error FROM outbox_event WHERE " + condition;
        Map<String, Row> rows = new LinkedHashMap<>();
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                rows.put(
                        result.getString(1),
                        new Row(
                                result.getString(1),
                                result.getInt(2),
                                result.getInt(3),
                                result.getString(4),
                                result.getString(5)));
            }
            return rows;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the outbox table: " + e.getMessage(), e);
        }
    }

    /** Returns the ids of finished events. */
    public static Set<String> done(DataSource dataSource) {
        return new TreeSet<>(where(dataSource, "status = " + DONE).keySet());
    }

    /** Returns the number a query yields. */
    public static long number(DataSource dataSource, String sql) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed: " + e.getMessage(), e);
        }
    }

    /** Runs statements, each in a transaction of its own. */
    public static void execute(DataSource dataSource, String... statements) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(List.of(statements) + " failed: " + e.getMessage(), e);
        }
    }

    /** Returns the first column of a query's rows as text. */
    public static List<String> texts(DataSource dataSource, String sql) {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> texts = new ArrayList<>();
            while (result.next()) {
                texts.add(result.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed: " + e.getMessage(), e);
        }
    }
}
