package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.testservers.support.CapturedLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of events that block their key when the outbox does not keep the order of keys any more. */
class DropOrderTest {

    private static final String TYPE = "Changed";

    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private volatile boolean refuses = true;
    private HikariDataSource pool;
    private JdbcOutbox jdbc;

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void eventsThatBlockTheirKeyAreNamedAtTheStartAndDeliveredOnceMoreOnRequest(TestDatabase database) {
        pool = TestDatabase.pool(database.newUrl(), 4);
        jdbc = JdbcOutbox.of(pool).createSchema();
        OutboxSchema.of(pool).createKeyedIfMissing();
        String parked;
        String behind;
        try (Outbox ordered = Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners())
                .ordering(Ordering.byKey())
                .build()) {
            parked = write(ordered);
            await().until(() -> ordered.blockedKeys().orElseThrow().list(2).size() == 1);
            behind = write(ordered);
        }
        refuses = false;
        jdbc = JdbcOutbox.of(pool);
        CapturedLog log = CapturedLog.open();
        try (log;
                Outbox unordered = Outbox.multiNode()
                        .backend(jdbc.backend())
                        .claimLocking(Lease.DEFAULT_DURATION)
                        .listenerRegistry(listeners())
                        .intervalMs(50)
                        .build()) {
            await().until(() -> delivered.contains(behind));
            assertThat(unordered.blockedKeys()).isEmpty();
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("outbox_event", parked, "dropOrder()", "Ordering.byKey()");

            assertThat(jdbc.dropOrder()).isEqualTo(1);

            await().until(() -> delivered.contains(parked));
            assertThat(delivered).containsExactly(behind, parked);
        }
        assertThat(jdbc.dropOrder()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void anOutboxWithoutOrderSaysThatItDeliversEventsThatKeepTheirOrder(TestDatabase database) {
        pool = TestDatabase.pool(database.newUrl(), 4);
        jdbc = JdbcOutbox.of(pool).createSchema();
        OutboxSchema.of(pool).createKeyedIfMissing();
        String keyed;
        try (Outbox writer = Outbox.writerOnly()
                .backend(jdbc.backend())
                .ordering(Ordering.byKey())
                .build()) {
            keyed = write(writer);
        }
        refuses = false;
        jdbc = JdbcOutbox.of(pool);
        CapturedLog log = CapturedLog.open();
        try (log;
                Outbox unordered = Outbox.singleNode()
                        .backend(jdbc.backend())
                        .listenerRegistry(listeners())
                        .intervalMs(50)
                        .build()) {
            await().until(() -> delivered.contains(keyed));
            write(unordered);
            await().until(() -> delivered.size() == 2);
        }
        assertThat(log.warnings()).singleElement().asString().contains("outbox_event", keyed, "Ordering.byKey()");
    }

    private DefaultListenerRegistry listeners() {
        return new DefaultListenerRegistry().register(TYPE, event -> {
            if (refuses) {
                throw new UnrecoverableException("refused");
            }
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
    }

    private String write(Outbox outbox) {
        try (Transaction tx = jdbc.begin()) {
            String id = outbox.writer()
                    .write(EventEnvelope.builder(TYPE)
                            .aggregateId("k")
                            .payloadJson("1")
                            .build());
            tx.commit();
            return id;
        }
    }
}
