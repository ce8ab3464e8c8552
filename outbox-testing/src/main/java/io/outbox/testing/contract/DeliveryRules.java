package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A group of rules about delivery: outboxes on a fresh engine, and what their listeners saw. */
abstract class DeliveryRules extends EngineRules {

    static final int REPETITIONS = 3;
    /** Longer than the patience of any test. */
    static final Duration LEASE = Duration.ofSeconds(60);

    static final Duration SETTLE_TIME = Duration.ofMillis(100);
    static final List<String> ALL_TYPES = List.of(WriteLoad.FAST, WriteLoad.SLOW, WriteLoad.FLAKY, WriteLoad.DELAYED);

    final LoadSize size;
    final Deliveries deliveries = new Deliveries();
    final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<Outbox> open = new ArrayList<>();
    private Set<Thread> threadsBefore;

    /**
     * How large the load is.
     *
     * @param patience how long a test waits for deliveries
     */
    record LoadSize(int writers, int transactionsPerWriter, int nodes, Duration patience) {}

    DeliveryRules(Callable<EngineUnderTest> engines, LoadSize size) {
        super(engines);
        this.size = size;
    }

    @BeforeEach
    final void rememberThreads() {
        threadsBefore = outboxThreads();
    }

    @AfterEach
    final void closeOutboxes() {
        open.forEach(Outbox::close);
        Waiting.until(
                Duration.ofSeconds(5),
                () -> "threads left: " + newThreads(),
                () -> newThreads().isEmpty());
    }

    private Set<Thread> newThreads() {
        Set<Thread> threads = outboxThreads();
        threads.removeAll(threadsBefore);
        return threads;
    }

    private static Set<Thread> outboxThreads() {
        Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
        threads.removeIf(thread -> !thread.getName().startsWith("outbox-"));
        return threads;
    }

    // Outboxes

    /** Begins a node with queues so small that they overflow, and a poller that never rests. */
    final Outbox.SingleNodeBuilder singleNode() {
        return eager(Outbox.singleNode())
                .workerCount(3)
                .hotQueueCapacity(8)
                .coldQueueCapacity(8)
                .retryPolicy(attempts -> 5);
    }

    final Outbox.MultiNodeBuilder multiNode(String name, Duration lease) {
        return eager(Outbox.multiNode())
                .claimLocking(name, lease)
                .workerCount(3)
                .hotQueueCapacity(8)
                .coldQueueCapacity(8)
                .retryPolicy(attempts -> 5);
    }

    final Outbox.OrderedBuilder ordered() {
        return eager(Outbox.ordered()).drainTimeoutMs(20);
    }

    private <B extends Outbox.AbstractBuilder<B>> B eager(B builder) {
        return builder.backend(backend).listenerRegistry(registry).intervalMs(5).batchSize(7);
    }

    /** Builds the outbox and closes it after the test. */
    final Outbox open(Outbox.AbstractBuilder<?> builder) {
        Outbox outbox = builder.build();
        open.add(outbox);
        return outbox;
    }

    /** Returns whether the engine cannot serve several nodes, once it is clear that it says so. */
    final boolean multiNodeIsRefused() {
        if (!backend.supports(Capability.CLAIM)) {
            assertThatThrownBy(() -> multiNode("node", LEASE).build()).isInstanceOf(IllegalStateException.class);
        }
        return !backend.supports(Capability.CLAIM);
    }

    final void registerAllTypes() {
        registry.register(WriteLoad.FAST, deliveries.succeeding());
        registry.register(WriteLoad.SLOW, deliveries.taking(Duration.ofMillis(3)));
        registry.register(WriteLoad.FLAKY, deliveries.failingSometimes());
        registry.register(WriteLoad.DELAYED, deliveries.succeeding());
    }

    // Events

    static List<EventEnvelope> events(String type, int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson(type, "{}"));
        }
        return events;
    }

    /** Returns events of one aggregate whose payloads are numbered from 0. */
    static List<EventEnvelope> numbered(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(TYPE)
                    .aggregateId("numbered")
                    .payloadJson("{\"number\":" + i + "}")
                    .build());
        }
        return events;
    }

    // What became of them

    /** Waits until the events are done, and a while longer for deliveries that must not be; then checks. */
    final void assertDelivered(Collection<String> eventIds) {
        Waiting.until(
                size.patience(),
                () -> deliveries.succeeded() + " of " + eventIds.size() + " events delivered",
                () -> deliveries.succeeded() >= eventIds.size());
        awaitStatus(EventStatus.DONE, eventIds);
        Waiting.pause(SETTLE_TIME);
        deliveries.assertExactly(eventIds);
    }

    final void awaitStatus(EventStatus status, Collection<String> eventIds) {
        Set<String> waiting = new HashSet<>(eventIds);
        Waiting.until(size.patience(), () -> "events not " + status + ": " + waiting, () -> {
            waiting.removeIf(id -> stored(id).status() == status);
            return waiting.isEmpty();
        });
    }

    final void assertInOrder(WriteLoad load) {
        load.payloadsByAggregate()
                .forEach((aggregate, payloads) -> assertThat(deliveries.payloadsOf(aggregate))
                        .as(aggregate)
                        .isEqualTo(payloads));
    }
}
