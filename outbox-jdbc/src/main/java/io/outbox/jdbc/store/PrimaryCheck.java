package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether a connection leads to the primary. A change fails on any other server; a query does not, and would find
 * events that are done elsewhere, or miss those that are due. So before events are looked for, each connection is
 * asked, at most once a second, and all of them anew after a failure: what the others did since would be repeated.
 * Thread-safe.
 */
final class PrimaryCheck {

    private static final long GOOD_FOR_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AbstractJdbcOutboxStore store;
    private final String query;
    private final LongSupplier nanoTime;
    /** When connections of the driver, not those that a pool wraps around them each time, were last asked. */
    private final Map<Connection, Long> askedAt = Collections.synchronizedMap(new WeakHashMap<>());

    PrimaryCheck(AbstractJdbcOutboxStore store, LongSupplier nanoTime) {
        this.store = store;
        this.query = store.readOnlyQuery().orElse(null);
        this.nanoTime = nanoTime;
    }

    /** @throws OutboxStoreException if the server only reads, see {@link OutboxStoreException#isReadOnly()} */
    void require(Connection conn) {
        if (query == null) {
            return;
        }
        Connection physical = StaleConnections.physical(conn);
        Long asked = askedAt.get(physical);
        long now = nanoTime.getAsLong();
        if (asked != null && now - asked < GOOD_FOR_NANOS) {
            return;
        }
        if (store.statements().query(conn, query, row -> row.getBoolean(1)).get(0)) {
            String reason = "the server only reads: it is a replica, or was the primary until a fail-over";
            throw new OutboxStoreException(
                    "Events are not looked for, because " + reason, new SQLException(reason, "25006"));
        }
        askedAt.put(physical, now);
    }

    /** Has every connection asked before its next use. */
    void forget() {
        askedAt.clear();
    }
}
