package io.outbox.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.support.ChildJvm;
import java.sql.Connection;
import java.util.concurrent.CountDownLatch;

/** Delivers events whose listener gives up, in a process of its own; what the fallback does is noted in a table. */
final class FallbackMain {

    static final String EVENT_TYPE = "Hopeless";
    static final String CALLED = "the fallback was called";

    private FallbackMain() {}

    /** Arguments, each after two dashes: the JDBC URL, and whether the fallback returns. */
    public static void main(String[] args) throws Exception {
        ChildJvm.endWithParent();
        boolean returns = Boolean.parseBoolean(args[1].substring(2));
        try (HikariDataSource pool = TestDatabase.pool(args[0].substring(2), 4)) {
            EventListener listener = EventListener.withFallback(
                    (event, info, cause) -> {
                        note(pool, event.eventId());
                        System.out.println(CALLED);
                        if (!returns) {
                            new CountDownLatch(1).await();
                        }
                    },
                    event -> {
                        throw new IllegalStateException("fails on purpose");
                    });
            try (Outbox outbox = Outbox.singleNode()
                    .backend(JdbcOutbox.of(pool).backend())
                    .listenerRegistry(new DefaultListenerRegistry().register(EVENT_TYPE, listener))
                    .maxAttempts(1)
                    .intervalMs(50)
                    .build()) {
                System.out.println(outbox.state());
                new CountDownLatch(1).await();
            }
        }
    }

    private static void note(HikariDataSource pool, String eventId) throws Exception {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "INSERT INTO fallback_call (event_id) VALUES (?)", eventId);
        }
    }
}
