package io.outbox.spring.boot.internal.delivery;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Locking;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Retry;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Builds an {@link Outbox}: from settings, with what the application's beans add and then the features of the starter;
 * the application's customizers have the last word. Delivery is not started.
 */
public final class OutboxAssembler {

    private final Contributions contributions;
    private final ThreadFactory workerThreads;
    private final Map<Outbox, StartupLine> startupLines = new ConcurrentHashMap<>();

    public OutboxAssembler(Contributions contributions, Environment environment) {
        this.contributions = contributions;
        this.workerThreads = virtualThreadsWanted(environment)
                ? new VirtualThreadTaskExecutor("outbox-worker-").getVirtualThreadFactory()
                : null;
    }

    /** Returns whether event types have lanes of their own, and need an index. */
    public boolean hasLanes() {
        return contributions.features().anyMatch(OutboxFeature::hasLanes);
    }

    /** Returns how dead letters are kept; empty if they are not. */
    public Optional<DeadLetterSettings> deadLetters() {
        return contributions.deadLetters();
    }

    /** Returns whether an outbox was built here, as opposed to one that the application builds itself. */
    public boolean isUsed() {
        return !startupLines.isEmpty();
    }

    /** Returns the outbox that a writer bean stands for, if it was built here and nothing stands in between. */
    public Optional<Outbox> outboxOf(OutboxWriter writer) {
        return writer instanceof LateWriter late
                ? Optional.of(late.outbox()).filter(startupLines::containsKey)
                : Optional.empty();
    }

    private static boolean virtualThreadsWanted(Environment environment) {
        return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
                && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
    }

    /** @param name the outbox's name, or the empty text */
    public Outbox assemble(
            String name,
            OutboxSettings settings,
            OutboxBackend backend,
            ListenerRegistry listeners,
            MetricsExporter metrics) {
        Outbox.AbstractBuilder<?> builder = builder(settings)
                .backend(backend)
                .listenerRegistry(listeners)
                .metrics(metrics)
                .startManually();
        contributions.addTo(builder);
        if (name.isEmpty()) {
            contributions.addWakeUp(builder);
        }
        OutboxInMaking making = new OutboxInMaking(name, settings, backend, metrics, builder);
        contributions.features().forEach(feature -> feature.addTo(making));
        contributions.customize(builder);
        Outbox outbox = making.build();
        startupLines.put(
                outbox,
                new StartupLine(
                        name, settings, listeners, new TreeSet<>(outbox.lanes().keySet())));
        return outbox;
    }

    private Outbox.AbstractBuilder<?> builder(OutboxSettings settings) {
        Outbox.AbstractBuilder<?> builder = switch (settings.mode()) {
            case SINGLE_NODE -> singleNode(settings);
            case MULTI_NODE -> multiNode(settings);
            case ORDERED -> Outbox.ordered();
            case WRITER_ONLY -> Outbox.writerOnly();
        };
        Polling polling = settings.delivery().polling();
        builder.intervalMs(polling.interval().toMillis())
                .minIntervalMs(Math.max(1, polling.minInterval().toMillis()))
                .skipRecent(polling.skipRecent())
                .stackTraces(settings.delivery().stackTraces())
                .drainTimeoutMs(settings.delivery().workers().drainTimeout().toMillis());
        polling.batchSize().ifPresent(builder::batchSize);
        if (settings.delivery().ordersByKey()) {
            builder.ordering(settings.delivery().ordering());
        }
        settings.purge().ifPresent(purge -> purge(builder, purge));
        if (workerThreads != null) {
            builder.workerThreads(workerThreads);
        }
        return builder;
    }

    private static void purge(Outbox.AbstractBuilder<?> builder, Purge purge) {
        builder.purgeRetention(purge.retention())
                .purgeBatchSize(purge.batchSize())
                .purgeIntervalSeconds(purge.interval().toSeconds())
                .purgeInitialDelay(purge.initialDelay());
        if (purge.keepsDead()) {
            builder.purgeKeepsDead();
        }
    }

    /** Logs what an outbox that was built here does; once, and when its listeners are known. */
    void announce(Outbox outbox) {
        StartupLine line = startupLines.get(outbox);
        if (line != null) {
            line.log(outbox.state());
        }
    }

    private Outbox.SingleNodeBuilder singleNode(OutboxSettings settings) {
        Workers workers = settings.delivery().workers();
        return Outbox.singleNode()
                .workerCount(workers.count())
                .hotQueueCapacity(workers.hotQueueCapacity())
                .coldQueueCapacity(workers.coldQueueCapacity())
                .maxAttempts(workers.maxAttempts())
                .retryPolicy(retryPolicy(settings));
    }

    private Outbox.MultiNodeBuilder multiNode(OutboxSettings settings) {
        Workers workers = settings.delivery().workers();
        Locking locking = settings.delivery().locking();
        Outbox.MultiNodeBuilder builder = Outbox.multiNode()
                .workerCount(workers.count())
                .hotQueueCapacity(workers.hotQueueCapacity())
                .coldQueueCapacity(workers.coldQueueCapacity())
                .maxAttempts(workers.maxAttempts())
                .retryPolicy(retryPolicy(settings))
                .unroutableGrace(locking.unroutableGrace());
        if (locking.recovery() != null) {
            builder.stuckRecovery(locking.recovery());
        }
        return locking.ownerId() == null
                ? builder.claimLocking(locking.lockTimeout())
                : builder.claimLocking(locking.ownerId(), locking.lockTimeout());
    }

    private RetryPolicy retryPolicy(OutboxSettings settings) {
        RetryPolicy ofTheApplication = contributions.retryPolicy();
        Retry retry = settings.delivery().retry();
        return ofTheApplication != null
                ? ofTheApplication
                : new ExponentialBackoffRetryPolicy(
                        retry.baseDelay().toMillis(), retry.maxDelay().toMillis());
    }
}
