package io.outbox.support;

import io.outbox.AggregateType;
import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import io.outbox.WriterHook;
import io.outbox.internal.delivery.DeliveryEngine;
import io.outbox.internal.delivery.DeliverySettings;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.polling.PollingLoop;
import io.outbox.internal.writing.HotPath;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A node on a {@link ScriptedBackend}, put together from its parts so that a test can reach each of them. */
public final class Node implements AutoCloseable {

    /** An interval that no test waits for. */
    public static final long NEVER_MS = 3_600_000;

    private final ScriptedBackend backend;
    private final DeliverySettings delivery = new DeliverySettings();
    private final PollSettings polling = new PollSettings();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private MetricsExporter metrics = MetricsExporter.NOOP;
    private DeliveryEngine engine;
    private PollingLoop loop;
    private OutboxWriter writer;

    private Node(ScriptedBackend backend) {
        this.backend = backend;
        polling.intervalMs(NEVER_MS);
        delivery.drainTimeoutMs(1000);
    }

    public static Node on(ScriptedBackend backend) {
        return new Node(backend);
    }

    /** Makes it one of several nodes. */
    public Node named(String ownerId, Duration lease) {
        delivery.lease(new Lease(ownerId, lease));
        polling.lease(new Lease(ownerId, lease));
        return this;
    }

    public Node metrics(MetricsExporter exporter) {
        this.metrics = exporter;
        return this;
    }

    public Node delivery(Consumer<DeliverySettings> setting) {
        setting.accept(delivery);
        return this;
    }

    public Node polling(Consumer<PollSettings> setting) {
        setting.accept(polling);
        return this;
    }

    /** Listens to events of {@link Events#TYPE}. */
    public Node listen(EventListener listener) {
        return listen(Events.TYPE, listener);
    }

    public Node listen(String eventType, EventListener listener) {
        return listen(AggregateType.GLOBAL.name(), eventType, listener);
    }

    public Node listen(String aggregateType, String eventType, EventListener listener) {
        registry.register(aggregateType, eventType, event -> {
            delivered.add(event.eventId());
            return listener.onEvent(event);
        });
        return this;
    }

    /** Has events of {@link Events#TYPE} delivered to the listener itself, such as one for batches. */
    public Node listenDirectly(EventListener listener) {
        registry.register(Events.TYPE, listener);
        return this;
    }

    /** Puts the parts together and leaves them stopped. */
    public Node build() {
        delivery.listenerRegistry(registry);
        EngineMetrics engineMetrics = new EngineMetrics(metrics);
        engine = new DeliveryEngine(backend, delivery, engineMetrics);
        loop = new PollingLoop(engine.backend(), engine.coldPath(), polling, engineMetrics);
        HotPath path = engine.hotPath(metrics);
        writer = new DefaultOutboxWriter(backend, new WriterHook() {
            @Override
            public <T> T unwrap(Class<T> type) {
                return type.isInstance(path) ? type.cast(path) : WriterHook.super.unwrap(type);
            }
        });
        return this;
    }

    /** Builds and starts it. */
    public Node start() {
        build();
        engine.start();
        loop.start();
        return this;
    }

    public DeliveryEngine engine() {
        return engine;
    }

    public PollingLoop loop() {
        return loop;
    }

    public OutboxWriter writer() {
        return writer;
    }

    /** Writes events in a transaction of their own. */
    public void write(EventEnvelope... events) {
        backend.begin();
        writer.writeAll(List.of(events));
        backend.commit();
    }

    /** Returns the ids of events in the order in which listeners were called with them. */
    public List<String> delivered() {
        return List.copyOf(delivered);
    }

    @Override
    public void close() {
        if (loop != null) {
            loop.close();
        }
        if (engine != null) {
            engine.close();
        }
    }
}
