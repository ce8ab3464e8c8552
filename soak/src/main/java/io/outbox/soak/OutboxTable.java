package io.outbox.soak;

import io.outbox.soak.judge.Row;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The outbox table as the harness sees it: with plain JDBC, past all proxies, independently of any store. */
final class OutboxTable {

    private static final String ALL = "SELECT event_id, status, locked_by FROM outbox_event";
    private static final String LOCKED_BY = ALL + " WHERE status IN (0, 2) AND locked_by = ?";
    private static final String COUNT_PENDING = "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)";

    private final String jdbcUrl;

    OutboxTable(String jdbcUrl) {
        this.jdbcUrl = jdbcUrl;
    }

    List<Row> rows() throws SQLException {
        try (Connection connection = connect();
                PreparedStatement query = connection.prepareStatement(ALL)) {
            return read(query);
        }
    }

    /** Returns the unfinished rows that an owner holds. */
    List<Row> lockedBy(String owner) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement query = connection.prepareStatement(LOCKED_BY)) {
            query.setString(1, owner);
            return read(query);
        }
    }

    private static List<Row> read(PreparedStatement query) throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (ResultSet result = query.executeQuery()) {
            while (result.next()) {
                rows.add(new Row(result.getString(1), result.getInt(2), result.getString(3)));
            }
        }
        return rows;
    }

    long countPending() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(COUNT_PENDING)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Runs statements in a session. */
    static void execute(Connection connection, List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Opens a session, which the caller closes. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl);
    }
}
