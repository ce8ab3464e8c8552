package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.CompletionListener;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Rules of what listeners can rely on: attempts, delays, errors, and writing themselves. */
abstract class DeliveryListenerRules extends DeliveryRules {

    DeliveryListenerRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines, size);
    }

    @Test
    void anErrorIsAFailedAttemptAndTheLastOneEndsTheEvent() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            throw attempt == 2 ? new StackOverflowError("deep") : new AssertionError("wrong");
        }));
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        Outbox outbox = open(singleNode().maxAttempts(3));
        List<EventEnvelope> events = numbered(10);
        EventEnvelope healthy = EventEnvelope.ofJson(WriteLoad.FAST, "{}");

        engine.inTransaction(() -> {
            outbox.writer().writeAll(events);
            outbox.writer().write(healthy);
        });

        awaitStatus(EventStatus.DEAD, ids(events));
        assertDelivered(List.of(healthy.eventId()));
        assertThat(events).allSatisfy(event -> {
            assertThat(deliveries.attempts(event.eventId())).isEqualTo(3);
            assertThat(stored(event.eventId()).lastError()).contains("wrong");
        });
    }

    @Test
    void theStoredErrorTellsTheRootCauseAndAllAttempts() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            IOException root = new IOException("reset " + attempt);
            if (attempt == 3) {
                throw new UnrecoverableException("Delivery failed", root);
            }
            throw new IllegalStateException("Delivery failed", root);
        }));
        Outbox outbox = open(singleNode());
        List<EventEnvelope> events = numbered(1);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        awaitStatus(EventStatus.DEAD, ids(events));
        String stored = stored(events.get(0).eventId()).lastError();
        assertThat(stored.lines()).first().isEqualTo(new UnrecoverableException("Delivery failed").toString());
        FailureText text = FailureText.of(stored);
        assertThat(text.root()).isEqualTo("java.io.IOException: reset 3");
        assertThat(text.trace()).contains("\tat " + DeliveryListenerRules.class.getName());
        assertThat(text.attempts())
                .extracting(FailureText.Attempt::number, FailureText.Attempt::error)
                .containsExactly(
                        tuple(1, "java.io.IOException: reset 1"),
                        tuple(2, "java.io.IOException: reset 2"),
                        tuple(3, null));
    }

    @Test
    void anEventThatFailsInOrderedModeIsDeadAndDoesNotHoldUpTheNext() {
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            if (event.payloadJson().equals("{\"number\":2}")) {
                throw new IllegalStateException("fails on purpose");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(ordered());
        List<EventEnvelope> events = numbered(5);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        awaitStatus(EventStatus.DEAD, List.of(events.get(2).eventId()));
        List<String> others = new ArrayList<>(ids(events));
        others.remove(2);
        assertDelivered(others);
        assertThat(deliveries.attempts(events.get(2).eventId())).isEqualTo(1);
        assertThat(deliveries.payloadsOf("numbered"))
                .containsExactly("{\"number\":0}", "{\"number\":1}", "{\"number\":3}", "{\"number\":4}");
    }

    @Test
    void failedAttemptsAreCountedInTheStore() {
        registry.register(TYPE, deliveries.failingSometimes());
        Outbox outbox = open(singleNode());
        List<EventEnvelope> events = numbered(30);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(ids(events)).allSatisfy(id -> {
            assertThat(stored(id).attempts()).isEqualTo(Deliveries.failuresOf(id));
            assertThat(deliveries.attempts(id)).isEqualTo(Deliveries.failuresOf(id) + 1);
        });
    }

    @Test
    void aListenerKnowsWhichAttemptThisIs() {
        Queue<DeliveryInfo> infos = new ConcurrentLinkedQueue<>();
        registry.register(TYPE, EventListener.informed((event, info) -> {
            infos.add(info);
            if (info.attempt() < 3) {
                throw new IllegalStateException("attempt " + info.attempt());
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(singleNode());
        EventEnvelope event = numbered(1).get(0);

        engine.inTransaction(() -> outbox.writer().write(event));

        awaitStatus(EventStatus.DONE, List.of(event.eventId()));
        assertThat(infos).extracting(DeliveryInfo::attempt).containsExactly(1, 2, 3);
        assertThat(infos).allSatisfy(info -> {
            String before = "java.lang.IllegalStateException: attempt " + (info.attempt() - 1);
            assertThat(info.lastError()).isIn(null, info.isRetry() ? before : null);
            assertThat(info.writtenAt()).isEqualTo(event.occurredAt());
        });
    }

    @Test
    void theEndOfAnEventIsToldWhenTheStoreKnowsIt() {
        Queue<String> told = new ConcurrentLinkedQueue<>();
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            if (event.payloadJson().equals("{\"number\":1}")) {
                throw new UnrecoverableException("fails on purpose");
            }
            return DispatchResult.done();
        }));
        Outbox outbox = open(singleNode().completionListener(new CompletionListener() {
            @Override
            public void onDone(EventEnvelope event) {
                told.add(event.eventId() + stored(event.eventId()).status());
            }

            @Override
            public void onDead(DeadEvent event) {
                told.add(event.eventId() + stored(event.eventId()).status());
            }
        }));
        List<EventEnvelope> written = numbered(3);
        List<String> events = ids(written);

        engine.inTransaction(() -> outbox.writer().writeAll(written));

        Waiting.until(size.patience(), () -> "told of " + told, () -> told.size() >= 3);
        assertThat(told)
                .containsExactlyInAnyOrder(events.get(0) + "DONE", events.get(1) + "DEAD", events.get(2) + "DONE");
    }

    @Test
    void aDeferredEventUsesUpNoAttempts() {
        registry.register(
                TYPE,
                deliveries.recording((event, attempt) ->
                        attempt <= 4 ? DispatchResult.retryAfter(Duration.ofMillis(10)) : DispatchResult.done()));
        Outbox outbox = open(singleNode().maxAttempts(2));
        List<EventEnvelope> events = numbered(10);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(ids(events))
                .allSatisfy(id -> assertThat(deliveries.attempts(id)).isEqualTo(5));
    }

    @Test
    void aDelayedEventComesAtItsTimeNotAtTheNextInterval() {
        registry.register(TYPE, deliveries.succeeding());
        Outbox outbox = open(singleNode().intervalMs(size.patience().toMillis() * 2));
        EventEnvelope delayed = EventEnvelope.builder(TYPE)
                .deliverAfter(Duration.ofMillis(300))
                .payloadJson("{}")
                .build();

        engine.inTransaction(() -> outbox.writer().write(delayed));

        assertDelivered(List.of(delayed.eventId()));
    }

    @Test
    void aListenerMayTakeLongerThanTheLease() {
        if (multiNodeIsRefused()) {
            return;
        }
        Duration lease = Duration.ofSeconds(1);
        registry.register(TYPE, deliveries.taking(lease.multipliedBy(5).dividedBy(2)));
        List<Outbox> outboxes = new ArrayList<>();
        for (int i = 0; i < size.nodes(); i++) {
            outboxes.add(open(multiNode("node-" + i, lease)));
        }
        List<EventEnvelope> events = numbered(6);

        engine.inTransaction(() -> outboxes.get(0).writer().writeAll(events));

        assertDelivered(ids(events));
        assertThat(events)
                .allSatisfy(event ->
                        assertThat(deliveries.attempts(event.eventId())).isEqualTo(1));
    }

    @Test
    void anUnroutableEventIsDeadAndDeliveredOnceReplayed() {
        Outbox outbox = open(singleNode());
        EventEnvelope lost = EventEnvelope.ofJson(TYPE, "{}");
        engine.inTransaction(() -> outbox.writer().write(lost));
        awaitStatus(EventStatus.DEAD, List.of(lost.eventId()));

        registry.register(TYPE, deliveries.succeeding());

        assertThat(outbox.deadEvents().replayAll(TYPE, null, 10)).isEqualTo(1);
        assertDelivered(List.of(lost.eventId()));
    }

    @Test
    void amongNodesAnEventTypeThatOneOfThemKnowsIsDeliveredByThatOne() {
        if (multiNodeIsRefused()) {
            return;
        }
        registry.register(TYPE, deliveries.succeeding());
        Outbox old = open(multiNode("old", LEASE).listenerRegistry(new DefaultListenerRegistry()));
        open(multiNode("new", LEASE));
        List<EventEnvelope> events = numbered(30);

        events.forEach(event -> engine.inTransaction(() -> old.writer().write(event)));

        assertDelivered(ids(events));
        assertThat(events).allSatisfy(event -> {
            assertThat(deliveries.attempts(event.eventId())).isEqualTo(1);
            assertThat(stored(event.eventId()).attempts()).isZero();
        });
    }

    @Test
    void amongNodesAnEventThatNoneHasAListenerForIsDeadAfterTheGrace() {
        if (multiNodeIsRefused()) {
            return;
        }
        Duration grace = Duration.ofMillis(500);
        Outbox outbox = open(multiNode("one", LEASE).unroutableGrace(grace));
        open(multiNode("other", LEASE).unroutableGrace(grace));
        List<EventEnvelope> events = numbered(10);

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        awaitStatus(EventStatus.DEAD, ids(events));
        assertThat(events)
                .allSatisfy(event -> assertThat(stored(event.eventId()).lastError())
                        .contains("no other node took the event within 500ms"));
    }

    @Test
    void aListenerMayWriteEventsItself() {
        AtomicReference<OutboxWriter> writer = new AtomicReference<>();
        Queue<String> all = new ConcurrentLinkedQueue<>();
        registry.register(TYPE, deliveries.recording((event, attempt) -> {
            EventEnvelope next = EventEnvelope.ofJson(WriteLoad.FAST, "{}");
            engine.inTransaction(() -> writer.get().write(next));
            all.add(next.eventId());
            return DispatchResult.done();
        }));
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        Outbox outbox = open(singleNode());
        writer.set(outbox.writer());
        List<EventEnvelope> events = numbered(50);
        all.addAll(ids(events));

        engine.inTransaction(() -> outbox.writer().writeAll(events));

        Waiting.until(size.patience(), () -> all.size() + " of 100 written", () -> all.size() == 100);
        assertDelivered(all);
    }
}
