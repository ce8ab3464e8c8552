package io.outbox.jdbc.contract;

import io.outbox.spi.OutboxStore;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;

/** The store contract on a relational engine, which is opened and closed for each test. */
abstract class JdbcStoreContract extends OutboxStoreContract {

    private final Supplier<JdbcEngine> engines;
    private JdbcEngine engine;

    JdbcStoreContract(Supplier<JdbcEngine> engines) {
        this.engines = engines;
    }

    @Override
    protected OutboxStore createStore() {
        engine = engines.get();
        return engine.store();
    }

    @Override
    protected Connection openConnection() throws SQLException {
        return engine.openConnection();
    }

    @Override
    protected void closeStore() {
        engine.close();
    }
}
