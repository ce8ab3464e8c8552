package io.outbox.jdbc.support;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.OwnershipStore;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;

/** The parts of an engine on one connection of the test's, which stays open. */
public final class OnConnection {

    private OnConnection() {}

    public static DeliveryBackend delivery(OwnershipStore store, Connection conn) {
        return store.delivery(provider(conn));
    }

    public static HousekeepingBackend housekeeping(OwnershipStore store, Connection conn) {
        return store.housekeeping(provider(conn), (connection, before, limit) -> 0);
    }

    private static ConnectionProvider provider(Connection conn) {
        return () -> Intercepted.connection(conn, call -> call.name().equals("close") ? null : call.proceed());
    }
}
