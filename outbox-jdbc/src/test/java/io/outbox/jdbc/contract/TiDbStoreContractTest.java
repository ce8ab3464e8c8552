package io.outbox.jdbc.contract;

import io.outbox.jdbc.store.TiDbOutboxStore;
import io.outbox.testservers.MySqlServer;

/**
 * Runs the store contract on the store for TiDB, against MySQL, whose SQL TiDB speaks. The contracts with uncommitted
 * inserts beside claims are left out: there the two databases lock differently.
 */
class TiDbStoreContractTest extends JdbcStoreContract {

    private static final String URL = MySqlServer.shared().newDatabase();

    TiDbStoreContractTest() {
        super(() -> new JdbcEngine(URL, store -> new TiDbOutboxStore(store.tableName())));
    }
}
