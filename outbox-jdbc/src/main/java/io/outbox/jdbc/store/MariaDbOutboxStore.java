package io.outbox.jdbc.store;

import java.util.List;

/** The store for MariaDB 10.6 and later. */
public final class MariaDbOutboxStore extends MySqlOutboxStore {

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
    public MariaDbOutboxStore withTable(String tableName) {
        return new MariaDbOutboxStore(tableName);
    }
}
