package io.outbox;

import io.outbox.internal.delivery.DeliveryEngine;
import io.outbox.internal.delivery.DeliverySettings;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.polling.PollingLoop;
import io.outbox.internal.store.StoreBackend;
import io.outbox.internal.writing.HotPath;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.Capability;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.WriteBackend;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Puts an {@link Outbox} together from what its builders were told. Each assembly makes one outbox. Not thread-safe. */
final class OutboxAssembly {

    ConnectionProvider connectionProvider;
    TxContext txContext;
    OutboxStore outboxStore;
    OutboxBackend backend;
    EventPurger purger;
    boolean purging;
    ListenerRegistry listenerRegistry;
    MetricsExporter metrics = MetricsExporter.NOOP;
    Clock clock = Clock.systemUTC();
    final List<WriterHook> writerHooks = new ArrayList<>();
    final DeliverySettings delivery = new DeliverySettings();
    final PollSettings polling = new PollSettings();
    final OutboxPurgeScheduler.Builder purge = OutboxPurgeScheduler.builder();

    /** The parts of an outbox; delivery is {@code null} if it only writes. */
    record Parts(
            OutboxWriter writer,
            Delivery delivery,
            HousekeepingBackend housekeeping,
            OutboxPurgeScheduler purgeScheduler,
            Clock clock) {}

    /** What delivers. */
    record Delivery(DeliveryEngine engine, PollingLoop poller) {}

    /** Assembles an outbox that delivers. */
    Parts delivering(boolean hotPath) {
        OutboxBackend store = wholeBackend();
        Objects.requireNonNull(listenerRegistry, "listenerRegistry is required");
        delivery.listenerRegistry(listenerRegistry);
        EngineMetrics engineMetrics = new EngineMetrics(metrics);
        OutboxPurgeScheduler purgeScheduler = purgeScheduler(store);
        DeliveryEngine engine = new DeliveryEngine(store, delivery, engineMetrics);
        try {
            PollingLoop.Source source = new PollingLoop.Source(engine.backend(), store);
            PollingLoop loop = new PollingLoop(source, engine.coldPath(), polling, engineMetrics);
            HotPath path = hotPath ? engine.hotPath(metrics) : HotPath.NONE;
            return new Parts(writer(store, path), new Delivery(engine, loop), store, purgeScheduler, clock);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /** Assembles an outbox that delivers one of several nodes' shares. */
    Parts deliveringUnder(Lease lease) {
        OutboxBackend store = wholeBackend();
        Objects.requireNonNull(listenerRegistry, "listenerRegistry is required");
        if (lease == null) {
            throw new IllegalStateException("Multi-node mode needs claimLocking(...), so that nodes do not deliver"
                    + " each other's events; for one node use Outbox.singleNode()");
        }
        if (!store.supports(Capability.CLAIM)) {
            throw new IllegalStateException(
                    "Multi-node mode needs a store that can claim events (one that overrides"
                            + " claimPending, or better an OwnershipStore); this one cannot: use Outbox.singleNode() on one node");
        }
        delivery.lease(lease);
        polling.lease(lease);
        return delivering(true);
    }

    /** Assembles an outbox that delivers one event after the other. */
    Parts deliveringInOrder() {
        if (delivery.hasLanes()) {
            throw new IllegalStateException(
                    "Ordered mode delivers one event after the other, so no event type can have a lane of its own");
        }
        delivery.workerCount(1);
        delivery.maxAttempts(1);
        delivery.strictOrder();
        return delivering(false);
    }

    /** Assembles an outbox that only writes. Connections are needed only to purge. */
    Parts writing() {
        if (backend == null && connectionProvider == null && purger == null) {
            WriteBackend store = StoreBackend.forWriting(
                    Objects.requireNonNull(txContext, "txContext is required"),
                    Objects.requireNonNull(outboxStore, "outboxStore is required"));
            return new Parts(writer(store, HotPath.NONE), null, null, null, clock);
        }
        OutboxBackend store = wholeBackend();
        return new Parts(writer(store, HotPath.NONE), null, store, purgeScheduler(store), clock);
    }

    private OutboxWriter writer(WriteBackend store, HotPath path) {
        List<WriterHook> hooks = new ArrayList<>(writerHooks);
        hooks.add(delivery.contexts());
        return new DefaultOutboxWriter(store, hooks, path);
    }

    private OutboxPurgeScheduler purgeScheduler(HousekeepingBackend store) {
        boolean wanted = backend != null ? purging : purger != null;
        return wanted ? purge.backend(store).metrics(metrics).build() : null;
    }

    private OutboxBackend wholeBackend() {
        if (backend == null) {
            Objects.requireNonNull(txContext, "txContext is required");
            Objects.requireNonNull(outboxStore, "outboxStore is required");
            Objects.requireNonNull(connectionProvider, "connectionProvider is required");
            return StoreBackend.of(connectionProvider, txContext, outboxStore, purger);
        }
        if (connectionProvider != null || txContext != null || outboxStore != null || purger != null) {
            throw new IllegalStateException("backend is set, so connectionProvider, txContext, outboxStore and"
                    + " purger must not be: the backend brings its own");
        }
        return backend;
    }
}
