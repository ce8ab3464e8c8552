package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NoLeftoverThreads;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every mode that needs no claims works on a store of a third party with only the five methods. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxOnAPlainStoreTest {

    private static final long NEVER_MS = 3_600_000;

    private final CountedConnections connections = new CountedConnections();
    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();

    @AfterEach
    void noConnectionIsLeftOpen() {
        assertThat(connections.open()).isZero();
    }

    private <B extends Outbox.AbstractBuilder<B>> B on(B builder) {
        return builder.connectionProvider(connections)
                .txContext(transaction)
                .outboxStore(store)
                .listenerRegistry(registry)
                .metrics(metrics)
                .intervalMs(NEVER_MS);
    }

    private void listen(EventListener listener) {
        registry.register(Events.TYPE, event -> {
            delivered.add(event.eventId());
            return listener.onEvent(event);
        });
    }

    private void write(Outbox outbox, EventEnvelope... events) {
        transaction.begin();
        outbox.writer().writeAll(List.of(events));
        transaction.commit();
    }

    private void awaitCount(EventStatus status, int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .untilAsserted(() -> assertThat(store.count(status)).isEqualTo(count));
    }

    @Test
    void aSingleNodeDeliversRightAfterTheCommit() {
        listen(event -> DispatchResult.done());
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            for (int i = 0; i < 200; i++) {
                write(outbox, Events.event("e" + i));
            }
            awaitCount(EventStatus.DONE, 200);
        }

        assertThat(delivered).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void aBurstBeyondTheHotQueueIsDeliveredOnceWithoutWaitingForTheInterval() {
        listen(event -> DispatchResult.done());
        try (Outbox outbox = on(Outbox.singleNode())
                .hotQueueCapacity(10)
                .coldQueueCapacity(50)
                .build()) {
            EventEnvelope[] burst = new EventEnvelope[1000];
            for (int i = 0; i < burst.length; i++) {
                burst[i] = Events.event("e" + i);
            }
            write(outbox, burst);
            awaitCount(EventStatus.DONE, 1000);
        }

        assertThat(delivered).hasSize(1000).doesNotHaveDuplicates();
        assertThat(metrics.get("hotDropped")).isPositive();
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void failedEventsComeAgainAtTheirTime() {
        AtomicInteger calls = new AtomicInteger();
        listen(event -> {
            if (calls.incrementAndGet() < 3) {
                throw new IOException("not yet");
            }
            return DispatchResult.done();
        });
        try (Outbox outbox = on(Outbox.singleNode()).retryPolicy(attempts -> 20).build()) {
            write(outbox, Events.event("e"));
            awaitCount(EventStatus.DONE, 1);
        }

        assertThat(store.attempts("e")).isEqualTo(2);
    }

    @Test
    void eventsThatAlwaysFailGoDead() {
        listen(event -> {
            throw new IOException("never");
        });
        try (Outbox outbox = on(Outbox.singleNode())
                .retryPolicy(attempts -> 5)
                .maxAttempts(3)
                .build()) {
            write(outbox, Events.event("e"));
            awaitCount(EventStatus.DEAD, 1);
        }

        assertThat(delivered).hasSize(3);
    }

    @Test
    void delayedEventsComeAtTheirTime() {
        List<Instant> at = new ArrayList<>();
        listen(event -> {
            at.add(Instant.now());
            return DispatchResult.done();
        });
        EventEnvelope delayed = EventEnvelope.builder(Events.TYPE)
                .eventId("e")
                .payloadJson("{}")
                .deliverAfter(Duration.ofMillis(200))
                .build();
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            write(outbox, delayed);
            awaitCount(EventStatus.DONE, 1);
        }

        assertThat(at).singleElement().satisfies(time -> assertThat(time).isAfterOrEqualTo(delayed.availableAt()));
        assertThat(metrics.get("hotSkippedDelayed")).isEqualTo(1);
    }

    @RepeatedTest(20)
    void aDueTimeAnnouncedWhileTheFirstPollIsPlannedIsNotForgotten() {
        listen(event -> DispatchResult.done());
        EventEnvelope delayed = EventEnvelope.builder(Events.TYPE)
                .eventId("e")
                .payloadJson("{}")
                .deliverAfter(Duration.ofMillis(50))
                .build();

        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            write(outbox, delayed);
            awaitCount(EventStatus.DONE, 1);
        }
    }

    @Test
    void aBacklogFoundAtTheStartIsDelivered() {
        listen(event -> DispatchResult.done());
        for (int i = 0; i < 300; i++) {
            store.insertNew(null, Events.event("e" + i));
        }
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            assertThat(outbox).isNotNull();
            awaitCount(EventStatus.DONE, 300);
        }

        assertThat(delivered).hasSize(300).doesNotHaveDuplicates();
    }

    @Test
    void aStoreThatUsesNoConnectionsNeedsNone() {
        listen(event -> event.eventId().equals("e1") ? DispatchResult.dead() : DispatchResult.done());
        for (int i = 0; i < 300; i++) {
            store.insertNew(null, Events.event("e" + i));
        }
        try (Outbox outbox =
                on(Outbox.singleNode()).connectionProvider(() -> null).build()) {
            write(outbox, Events.event("hot"));
            awaitCount(EventStatus.DONE, 300);
            awaitCount(EventStatus.DEAD, 1);
        }

        assertThat(delivered).hasSize(301).doesNotHaveDuplicates();
    }

    @Test
    void orderedModeDeliversInOrderAndOnce() {
        listen(event -> DispatchResult.done());
        Instant start = Instant.now().minusSeconds(60);
        List<String> written = new ArrayList<>();
        try (Outbox outbox = on(Outbox.ordered()).intervalMs(1).batchSize(7).build()) {
            for (int i = 0; i < 300; i++) {
                String id = String.format("e%03d", i);
                written.add(id);
                write(outbox, Events.eventAt(id, start.plusMillis(i)));
            }
            awaitCount(EventStatus.DONE, 300);
        }

        assertThat(delivered).containsExactlyElementsOf(written);
    }

    @Test
    void orderedModeTriesOnce() {
        listen(event -> {
            throw new IOException("no");
        });
        try (Outbox outbox = on(Outbox.ordered()).intervalMs(5).build()) {
            write(outbox, Events.event("e"));
            awaitCount(EventStatus.DEAD, 1);
        }

        assertThat(delivered).containsExactly("e");
    }

    @Test
    void aWriterAloneOnlyWrites() {
        try (Outbox outbox =
                Outbox.writerOnly().txContext(transaction).outboxStore(store).build()) {
            write(outbox, Events.event("e"));
            assertThatIllegalStateException().isThrownBy(outbox::deliverDue);
        }

        assertThat(store.status("e")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void aWriterAlonePurgesIfTold() {
        AtomicInteger purges = new AtomicInteger();
        try (Outbox outbox = Outbox.writerOnly()
                .txContext(transaction)
                .outboxStore(store)
                .connectionProvider(connections)
                .purger((conn, before, limit) -> {
                    purges.incrementAndGet();
                    return 0;
                })
                .build()) {
            assertThat(outbox).isNotNull();
            await().atMost(Duration.ofSeconds(10)).until(() -> purges.get() > 0);
        }
    }

    @Test
    void aManualOutboxDeliversOnTheCallingThread() {
        Thread caller = Thread.currentThread();
        listen(event -> Thread.currentThread() == caller ? DispatchResult.done() : DispatchResult.dead());
        try (Outbox outbox = on(Outbox.singleNode()).startManually().build()) {
            store.insertNew(null, Events.event("backlog"));
            write(outbox, Events.event("hot"));

            assertThat(outbox.deliverDue()).isEqualTo(2);
            assertThat(outbox.deliverDue()).isZero();
            outbox.start();
            outbox.start();
            assertThatIllegalStateException().isThrownBy(outbox::deliverDue);
        }

        assertThat(store.count(EventStatus.DONE)).isEqualTo(2);
    }

    @Test
    void eventsWrittenAfterCloseAreDeliveredByTheNextOutbox() {
        listen(event -> DispatchResult.done());
        Outbox first = on(Outbox.singleNode()).build();
        first.close();
        write(first, Events.event("e"));
        assertThat(store.status("e")).isEqualTo(EventStatus.NEW);

        try (Outbox next = on(Outbox.singleNode()).build()) {
            assertThat(next).isNotNull();
            awaitCount(EventStatus.DONE, 1);
        }
        assertThat(delivered).containsExactly("e");
    }

    @Test
    void aRolledBackEventIsNeverDelivered() {
        listen(event -> DispatchResult.done());
        try (Outbox outbox = on(Outbox.singleNode()).build()) {
            transaction.begin();
            outbox.writer().write(Events.event("rolled back"));
            transaction.rollback();
            write(outbox, Events.event("committed"));
            awaitCount(EventStatus.DONE, 1);
        }

        assertThat(delivered).containsExactly("committed");
    }
}
