package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is measured of keys beyond what becomes of their events. */
class KeyedMetricsTest {

    private static final String TYPE = "Changed";

    private final JdbcOutbox jdbc = JdbcOutbox.of(dataSource()).createSchema();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger late = new AtomicInteger();
    private final AtomicLong lagMs = new AtomicLong();
    private final AtomicLong oldestLagMs = new AtomicLong();
    private final CountDownLatch mayGoOn = new CountDownLatch(1);
    private final MetricsExporter metrics = new ForwardingMetrics(MetricsExporter.NOOP) {
        @Override
        public void incrementKeyedLate(int count) {
            late.addAndGet(count);
        }

        @Override
        public void recordOldestKeyedLagMs(long lag) {
            lagMs.set(lag);
        }

        @Override
        public void recordOldestLagMs(long lag) {
            oldestLagMs.set(lag);
        }
    };
    private Outbox outbox;

    private static DataSource dataSource() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(TestDatabase.H2.newUrl());
        OutboxSchema.of(dataSource).createIfMissing();
        OutboxSchema.of(dataSource).createKeyedIfMissing();
        return dataSource;
    }

    private Outbox open() {
        return Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, event -> {
                    if (event.payloadJson().equals("\"slow\"")) {
                        mayGoOn.await();
                    }
                    delivered.add(event.eventId());
                    return DispatchResult.done();
                }))
                .workerCount(1)
                .intervalMs(100)
                .ordering(Ordering.byKey())
                .metrics(metrics)
                .build();
    }

    @AfterEach
    void close() {
        mayGoOn.countDown();
        outbox.close();
    }

    private String write(String key, String payload) {
        try (Transaction tx = jdbc.begin()) {
            String id = outbox.writer().write(event(key, payload));
            tx.commit();
            return id;
        }
    }

    private static EventEnvelope event(String key, String payload) {
        return EventEnvelope.builder(TYPE).aggregateId(key).payloadJson(payload).build();
    }

    @Test
    void anEventThatIsCommittedAfterALaterOneWasDeliveredIsCounted() {
        outbox = open();
        CountDownLatch isWritten = new CountDownLatch(1);
        CountDownLatch mayCommit = new CountDownLatch(1);
        CompletableFuture<String> overlapping = CompletableFuture.supplyAsync(() -> {
            try (Transaction tx = jdbc.begin()) {
                String id = outbox.writer().write(event("k", "1"));
                isWritten.countDown();
                mayCommit.await();
                tx.commit();
                return id;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().until(() -> isWritten.getCount() == 0);
        String overtakes = write("k", "2");
        await().until(() -> delivered.contains(overtakes));
        await().until(() -> jdbc.backend().keyHeads("", 1).isEmpty());

        mayCommit.countDown();

        await().until(() -> delivered.contains(overlapping.join()));
        assertThat(late).hasValue(1);
        String inOrder = write("k", "3");
        await().until(() -> delivered.contains(inOrder));
        assertThat(late).hasValue(1);
    }

    @Test
    void theAgeOfTheOldestHeadGrowsWhileItWaitsAndIsThatOfAllEvents() {
        outbox = open();
        write("a", "\"slow\"");

        await().until(() -> lagMs.get() >= 300);
        assertThat(oldestLagMs.get()).isGreaterThanOrEqualTo(300);
        mayGoOn.countDown();

        await().until(() -> lagMs.get() == 0 && oldestLagMs.get() == 0);
    }
}
