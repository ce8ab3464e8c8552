package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.LanePolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.ClaimingStore;
import io.outbox.support.CountedConnections;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.LogLines;
import io.outbox.support.ManualTransaction;
import io.outbox.support.NoLeftoverThreads;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several nodes on a store of a third party that brings claims, and nothing more, for them. */
@ExtendWith(NoLeftoverThreads.class)
class OutboxOnAClaimingStoreTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private final CountedConnections connections = new CountedConnections();
    private final ClaimingStore store = new ClaimingStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final CountingMetrics metrics = new CountingMetrics();
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final LogLines log = new LogLines();

    @AfterEach
    void close() {
        log.close();
        assertThat(connections.open()).isZero();
    }

    private Outbox.MultiNodeBuilder node(String name, EventListener listener) {
        return Outbox.multiNode()
                .connectionProvider(connections)
                .txContext(transaction)
                .outboxStore(store)
                .metrics(metrics)
                .claimLocking(name, LEASE)
                .retryPolicy(attempts -> 1)
                .intervalMs(5)
                .batchSize(20)
                .listenerRegistry(new DefaultListenerRegistry().register(Events.TYPE, event -> {
                    delivered.add(event.eventId());
                    return listener.onEvent(event);
                }));
    }

    private void write(Outbox outbox, String id) {
        transaction.begin();
        outbox.writer().write(Events.event(id));
        transaction.commit();
    }

    @Test
    void twoNodesDeliverEachEventOnce() {
        AtomicInteger count = new AtomicInteger();
        for (; count.get() < 200; count.incrementAndGet()) {
            store.insertNew(null, Events.event("e" + count.get()));
        }
        try (Outbox one = node("one", event -> DispatchResult.done()).build();
                Outbox other = node("other", event -> DispatchResult.done()).build()) {
            for (; count.get() < 400; count.incrementAndGet()) {
                write(count.get() % 2 == 0 ? one : other, "e" + count.get());
            }

            await().atMost(Duration.ofSeconds(20)).until(store::isDrained);
        }

        assertThat(delivered).hasSize(400).doesNotHaveDuplicates();
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void eventsThatFailComeAgain() {
        AtomicInteger calls = new AtomicInteger();
        try (Outbox outbox = node("one", event -> {
                    if (calls.incrementAndGet() < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    return DispatchResult.done();
                })
                .build()) {
            write(outbox, "e");

            await().atMost(Duration.ofSeconds(20)).until(store::isDrained);
        }
        assertThat(store.attempts("e")).isEqualTo(2);
    }

    @Test
    void whatTheStoreCannotDoIsLoggedOnceAndNothingElse() {
        try (Outbox outbox = node("one", event -> DispatchResult.done()).build()) {
            for (int i = 0; i < 20; i++) {
                write(outbox, "e" + i);
            }
            await().atMost(Duration.ofSeconds(20)).until(store::isDrained);
        }

        assertThat(log.at(Level.WARNING, ""))
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .contains("cannot do all that several nodes need", "OwnershipStore")
                        .contains("OWN_ON_WRITE", "RENEW", "RELEASE", "FENCE", "BATCH_OUTCOMES"));
        assertThat(metrics.get("hotDropped")).as("no queue was full").isZero();
    }

    @Test
    void aStoreThatOnlyInheritsClaimsIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> Outbox.multiNode()
                        .connectionProvider(connections)
                        .txContext(transaction)
                        .outboxStore(new FiveMethodStore())
                        .listenerRegistry(new DefaultListenerRegistry())
                        .claimLocking(LEASE)
                        .build())
                .withMessageContaining("claimPending");
    }

    @Test
    void lanesAreRefusedBecauseTheStoreCannotReadByType() {
        assertThatIllegalStateException()
                .isThrownBy(() -> node("one", event -> DispatchResult.done())
                        .lane("A", LanePolicy.builder().build())
                        .build())
                .withMessageContaining("type");
    }
}
