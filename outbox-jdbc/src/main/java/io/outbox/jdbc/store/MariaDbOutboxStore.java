package io.outbox.jdbc.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** The store for MariaDB 10.6 and later. */
public final class MariaDbOutboxStore extends MySqlOutboxStore {

    private static final int ROWS_AT_A_TIME = 8;

    public MariaDbOutboxStore() {}

    public MariaDbOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "mariadb";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:mariadb:");
    }

    @Override
    protected void streamRows(PreparedStatement statement) throws SQLException {
        statement.setFetchSize(ROWS_AT_A_TIME);
    }

    @Override
    public MariaDbOutboxStore withTable(String tableName) {
        return new MariaDbOutboxStore(tableName);
    }
}
