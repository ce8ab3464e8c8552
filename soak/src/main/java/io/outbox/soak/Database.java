package io.outbox.soak;

import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.util.function.Supplier;

/**
 * The stores to run on. H2 is not among them: it lives inside a node's process, so that there is no server to freeze and
 * no network to cut.
 */
public enum Database {
    POSTGRESQL(() -> new SqlStore(PostgresServer.start(), Sql.POSTGRESQL)),
    MYSQL(() -> new SqlStore(MySqlServer.start(), Sql.MYSQL)),
    MARIADB(() -> new SqlStore(MariaDbServer.start(), Sql.MYSQL)),
    REDIS(RedisStore::new);

    private final Supplier<Store> store;

    Database(Supplier<Store> store) {
        this.store = store;
    }

    /** Starts a server with an empty outbox for one run, which closes it. */
    Store start() {
        return store.get();
    }
}
