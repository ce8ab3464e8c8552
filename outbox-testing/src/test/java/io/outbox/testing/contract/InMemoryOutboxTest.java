package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxBackend;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;

/** Outboxes on an engine in memory, in real time, and the vocabulary in which tests speak about them. */
abstract class InMemoryOutboxTest {

    /** Longer than any test. */
    static final long NEVER_MS = 3_600_000;

    static final Duration LEASE = Duration.ofMinutes(5);
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Duration SETTLE_TIME = Duration.ofMillis(100);

    final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    final Deliveries deliveries = new Deliveries();
    final RecordedMetrics metrics = new RecordedMetrics();
    private final List<Outbox> open = new ArrayList<>();

    /** How many nodes there may be. */
    enum Mode {
        SINGLE_NODE,
        MULTI_NODE
    }

    @AfterEach
    final void closeOutboxes() {
        open.forEach(Outbox::close);
        awaitThat(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("outbox-")));
    }

    /** Begins an outbox whose poller acts only when it has a reason to. */
    final Outbox.AbstractBuilder<?> outbox(Mode mode) {
        return mode == Mode.SINGLE_NODE
                ? on(backend, Outbox.singleNode()).maxAttempts(4).retryPolicy(attempts -> 5)
                : node("node", LEASE);
    }

    final Outbox.MultiNodeBuilder node(String name, Duration lease) {
        return on(backend, Outbox.multiNode())
                .claimLocking(name, lease)
                .maxAttempts(4)
                .retryPolicy(attempts -> 5);
    }

    final <B extends Outbox.AbstractBuilder<B>> B on(OutboxBackend engine, B builder) {
        return builder.backend(engine)
                .listenerRegistry(registry)
                .metrics(metrics)
                .intervalMs(NEVER_MS)
                .drainTimeoutMs(20);
    }

    /** Builds the outbox and closes it after the test. */
    final Outbox open(Outbox.AbstractBuilder<?> builder) {
        Outbox outbox = builder.build();
        open.add(outbox);
        return outbox;
    }

    static List<EventEnvelope> events(String type, int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson(type, "{}"));
        }
        return events;
    }

    /** Writes each event in a transaction of its own and returns their ids. */
    final List<String> write(Outbox outbox, List<EventEnvelope> events) {
        events.forEach(event -> backend.inTransaction(() -> outbox.writer().write(event)));
        return EngineRules.ids(events);
    }

    /** Stores events behind the outbox's back, so that only a poller finds them. */
    final List<String> store(List<EventEnvelope> events) {
        backend.inTransaction(() -> backend.persist(EngineRules.newEvents(events, null)));
        return EngineRules.ids(events);
    }

    final StoredEvent stored(String eventId) {
        return backend.find(eventId).orElseThrow();
    }

    final void assertStatus(EventStatus status, Collection<String> eventIds) {
        assertThat(eventIds)
                .allSatisfy(id -> assertThat(stored(id).status()).as(id).isEqualTo(status));
    }

    final void awaitStatus(EventStatus status, Collection<String> eventIds) {
        awaitThat(() -> assertStatus(status, eventIds));
    }

    /** Waits until these events are done, and a while longer for deliveries that must not be; then checks. */
    final void awaitDeliveredOnce(Collection<String> eventIds) {
        awaitStatus(EventStatus.DONE, eventIds);
        Waiting.pause(SETTLE_TIME);
        deliveries.assertExactly(eventIds);
    }

    static void awaitThat(ThrowingRunnable assertion) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).untilAsserted(assertion);
    }

    @SafeVarargs
    static List<String> all(List<String>... lists) {
        List<String> all = new ArrayList<>();
        for (List<String> list : lists) {
            all.addAll(list);
        }
        return all;
    }
}
