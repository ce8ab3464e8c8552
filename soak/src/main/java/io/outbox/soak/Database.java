package io.outbox.soak;

import io.outbox.soak.fault.FaultKind;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The stores to run on. H2 is not among them: it lives inside a node's process, so that there is no server to freeze
 * and no network to cut.
 */
public enum Database {
    POSTGRESQL(() -> new SqlStore(PostgresServer.start(), Sql.POSTGRESQL, Replica::ofPostgres)),
    MYSQL(() -> new SqlStore(MySqlServer.startForReplication(1), Sql.MYSQL, Replica::ofMySql)),
    MARIADB(() -> new SqlStore(MariaDbServer.start(), Sql.MYSQL, Replica::none)),
    REDIS(RedisStore::new);

    /** The property that says where servers have their data. */
    static final String DATA = "outbox.test.run";

    private final Supplier<Store> store;

    Database(Supplier<Store> store) {
        this.store = store;
    }

    /** Returns the faults that can happen to it and its nodes. */
    Set<FaultKind> faults() {
        return Arrays.stream(FaultKind.values())
                .filter(kind -> this == REDIS ? !kind.needsDatabase() : !kind.needsRedis())
                .filter(kind -> kind != FaultKind.SERVER_DISK_FULL || disk().isPresent())
                .filter(kind -> this != MARIADB || kind != FaultKind.SERVER_FAIL_OVER)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the small disk on which servers have their data, if there is one. */
    static Optional<Path> disk() {
        return Optional.ofNullable(System.getProperty("soak.disk")).map(Path::of);
    }

    /** Starts a server with an empty outbox for one run, which closes it. */
    Store start() {
        return store.get();
    }
}
