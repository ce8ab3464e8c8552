package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners of an outbox whose effect an event has once. */
class ListenerTest {

    private final Node node = new Node(TestDatabase.H2.newUrl());
    private final CountingMetrics metrics = new CountingMetrics();
    private final OutboxIdempotentConsumer consumer =
            node.inbox().consumer().metrics(metrics).build();

    @AfterEach
    void close() {
        node.close();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(id)
                .payloadJson("{}")
                .build();
    }

    private DispatchResult effect(EventEnvelope event) {
        node.effect(event.eventId());
        return DispatchResult.done();
    }

    @Test
    void anEventThatIsDeliveredAgainIsDoneAndHasNoSecondEffect() throws Exception {
        EventListener listener = consumer.idempotent(this::effect);

        assertThat(listener.onEvent(event("a"))).isEqualTo(DispatchResult.done());
        assertThat(listener.onEvent(event("a"))).isEqualTo(DispatchResult.done());

        assertThat(node.effects()).containsExactly("a");
    }

    @Test
    void whatIsNotDoneLeavesNoEffectAndNoMark() throws Exception {
        List<DispatchResult> results = new ArrayList<>(List.of(
                DispatchResult.retryAfter(Duration.ofSeconds(1)), DispatchResult.dead("no"), DispatchResult.done()));
        EventListener listener = consumer.idempotent(event -> {
            effect(event);
            return results.remove(0);
        });

        assertThat(listener.onEvent(event("a"))).isEqualTo(DispatchResult.retryAfter(Duration.ofSeconds(1)));
        assertThat(listener.onEvent(event("a"))).isEqualTo(DispatchResult.dead("no"));
        assertThat(node.effects()).isEmpty();
        assertThat(listener.onEvent(event("a"))).isEqualTo(DispatchResult.done());

        assertThat(node.effects()).containsExactly("a");
        assertThat(metrics.counts()).isEqualTo(Map.of("consumed", 1L));
    }

    /** What it does in a transaction of somebody else's could not be taken back alone. */
    @Test
    void aListenerIsNotCalledInATransaction() {
        BatchEventListener batching = events -> List.of();
        try (Transaction tx = node.begin()) {
            for (EventListener listener : List.of(consumer.idempotent(this::effect), consumer.idempotent(batching))) {
                assertThatThrownBy(() -> listener.onEvent(event("a")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("in a transaction");
            }
            tx.commit();
        }

        assertThat(node.effects()).isEmpty();
    }

    @Test
    void aCheckedExceptionComesOutAsItWas() {
        Exception failure = new Exception("no");

        assertThatThrownBy(() -> consumer.idempotent(event -> {
                            throw failure;
                        })
                        .onEvent(event("a")))
                .isSameAs(failure);
        assertThat(node.marks(JdbcInbox.DEFAULT_CONSUMER)).isEmpty();
    }

    @Test
    void aBatchIsOneTransactionAndLeavesOutWhatWasConsumed() throws Exception {
        List<List<String>> calls = new ArrayList<>();
        BatchEventListener listener = (BatchEventListener) consumer.idempotent((BatchEventListener) events -> {
            calls.add(events.stream().map(EventEnvelope::eventId).toList());
            events.forEach(this::effect);
            return events.stream().map(event -> BatchOutcome.done()).toList();
        });

        assertThat(listener.onEvents(List.of(event("b"), event("a")))).hasSize(2);
        assertThat(listener.onEvents(List.of(event("c"), event("b"), event("d"))))
                .containsOnly(BatchOutcome.done())
                .hasSize(3);
        assertThat(listener.onEvent(event("d"))).isEqualTo(DispatchResult.done());

        assertThat(calls).containsExactly(List.of("b", "a"), List.of("c", "d"));
        assertThat(node.effects()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void eachEventOfABatchThatIsPartlyDoneHasItsOwnOutcome() throws Exception {
        RuntimeException failure = new IllegalStateException("no");
        BatchEventListener listener =
                (BatchEventListener) consumer.idempotent((BatchEventListener) events -> events.stream()
                        .map(event -> {
                            effect(event);
                            return switch (event.eventId()) {
                                case "bad" -> BatchOutcome.failed(failure);
                                case "later" -> BatchOutcome.of(DispatchResult.retryAfter(Duration.ZERO));
                                default -> BatchOutcome.done();
                            };
                        })
                        .toList());

        assertThat(listener.onEvents(List.of(event("a"), event("bad"), event("later"), event("b"))))
                .containsExactly(
                        BatchOutcome.done(),
                        BatchOutcome.failed(failure),
                        BatchOutcome.of(DispatchResult.retryAfter(Duration.ZERO)),
                        BatchOutcome.done());

        assertThat(node.effects()).containsExactly("a", "b");
        assertThat(node.marks(JdbcInbox.DEFAULT_CONSUMER)).containsExactly("a", "b");
    }

    @Test
    void theListenerKeepsItsRetryPolicyAndItsBatchSize() {
        RetryPolicy policy = attempts -> 1;
        BatchEventListener batching = new BatchEventListener() {
            @Override
            public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
                return List.of();
            }

            @Override
            public int maxBatchSize() {
                return 7;
            }
        };

        assertThat(consumer.idempotent(EventListener.retrying(policy, this::effect))
                        .retryPolicy())
                .isSameAs(policy);
        assertThat(consumer.idempotent(EventListener.retrying(policy, batching)))
                .isInstanceOfSatisfying(BatchEventListener.class, listener -> {
                    assertThat(listener.retryPolicy()).isSameAs(policy);
                    assertThat(listener.maxBatchSize()).isEqualTo(7);
                });
    }

    @Test
    void whatTheListenerSaysWhileItWaitsIsHeard() throws Exception {
        RouteUnavailableException reason = new RouteUnavailableException("nothing heard");
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            silence.accept(reason);
            return events.stream().map(event -> BatchOutcome.done()).toList();
        };
        List<RouteUnavailableException> heard = new ArrayList<>();
        BatchEventListener listener = (BatchEventListener) consumer.idempotent(waiting);

        for (List<EventEnvelope> events : List.of(List.of(event("a")), List.of(event("b"), event("c")))) {
            List<DeliveryInfo> infos = events.stream().map(DeliveryInfo::first).toList();
            BatchEventListener.Waiting.call(listener, events, infos, heard::add);
        }

        assertThat(heard).containsExactly(reason, reason);
    }

    @Test
    void anOutboxDeliversToItAndWhatItWritesIsInTheSameTransaction() {
        node.outbox().createSchema();
        List<Outbox> outboxes = new ArrayList<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("OrderPlaced", consumer.idempotent(event -> {
            outboxes.get(0).writer().write("OrderBilled", "{}");
            return effect(event);
        }));
        listeners.register("OrderBilled", consumer.idempotent(this::effect));

        try (Outbox outbox = Outbox.singleNode()
                .backend(node.outbox().backend())
                .listenerRegistry(listeners)
                .build()) {
            outboxes.add(outbox);
            try (Transaction tx = node.begin()) {
                outbox.writer().write("OrderPlaced", "{}");
                tx.commit();
            }
            await().until(() -> node.effects().size() == 2);
        }
    }
}
