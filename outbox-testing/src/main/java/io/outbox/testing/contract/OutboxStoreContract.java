package io.outbox.testing.contract;

import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Nested;

/**
 * The rules of an {@link OutboxStore} that implements all of its methods, on the level of connections and rows. A store
 * that also keeps ownership is tested further by {@link OutboxBackendContract}.
 *
 * <p>To test a store, extend this class and give the store, on an empty table, and connections to its database:
 *
 * <pre>{@code
 * class MyStoreTest extends OutboxStoreContract {
 *     @Override
 *     protected OutboxStore createStore() throws SQLException {
 *         createEmptyTable();
 *         return new MyStore();
 *     }
 *
 *     @Override
 *     protected Connection openConnection() throws SQLException {
 *         return dataSource.getConnection();
 *     }
 * }
 * }</pre>
 */
public abstract class OutboxStoreContract {

    /** Returns the store, on an empty table; called before each test. */
    protected abstract OutboxStore createStore() throws Exception;

    /** Returns a new connection in auto-commit mode; the contract closes it. */
    protected abstract Connection openConnection() throws SQLException;

    /** Frees what {@link #createStore} opened; called after each test, once the contract has closed its connections. */
    protected void closeStore() throws Exception {}

    /** Returns the name of the table. Default: {@code outbox_event}. */
    protected String tableName() {
        return "outbox_event";
    }

    @Nested
    class Inserting extends StoreInsertRules {
        Inserting() {
            super(OutboxStoreContract.this);
        }
    }

    @Nested
    class Marking extends StoreMarkRules {
        Marking() {
            super(OutboxStoreContract.this);
        }
    }

    @Nested
    class Reading extends StoreReadRules {
        Reading() {
            super(OutboxStoreContract.this);
        }
    }
}
