package io.outbox.jdbc.contract;

import io.outbox.spi.OutboxStore;
import io.outbox.testing.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The store contract on a relational engine, which is closed after all tests because the contract goes on using it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class JdbcStoreContract extends OutboxStoreContract {

    private final JdbcEngine engine;

    JdbcStoreContract(Supplier<JdbcEngine> engine) {
        this.engine = engine.get();
    }

    @Override
    protected OutboxStore createStore() {
        engine.clear();
        return engine.store();
    }

    @Override
    protected Connection openConnection() throws SQLException {
        return engine.openConnection();
    }

    @AfterAll
    void closeEngine() {
        engine.close();
    }
}
