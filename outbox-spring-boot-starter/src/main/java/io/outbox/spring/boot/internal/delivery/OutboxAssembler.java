package io.outbox.spring.boot.internal.delivery;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Locking;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Retry;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import java.lang.System.Logger.Level;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Builds an {@link Outbox} from settings, an engine and what the application has to add. Delivery is not started. */
public final class OutboxAssembler {

    private static final System.Logger LOG = System.getLogger(OutboxAssembler.class.getName());

    private final Contributions contributions;
    private final BrokerLanes brokers;
    private final ThreadFactory workerThreads;
    private volatile boolean used;

    public OutboxAssembler(Contributions contributions, BrokerLanes brokers, Environment environment) {
        this.contributions = contributions;
        this.brokers = brokers;
        this.workerThreads = virtualThreadsWanted(environment)
                ? new VirtualThreadTaskExecutor("outbox-worker-").getVirtualThreadFactory()
                : null;
    }

    /** Returns whether event types have lanes of their own, and need an index. */
    public boolean hasLanes() {
        return !brokers.eventTypes().isEmpty();
    }

    /** Returns whether an outbox was built here, as opposed to one that the application builds itself. */
    public boolean isUsed() {
        return used;
    }

    private static boolean virtualThreadsWanted(Environment environment) {
        return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
                && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
    }

    public Outbox assemble(
            OutboxSettings settings, OutboxBackend backend, ListenerRegistry listeners, MetricsExporter metrics) {
        Outbox.AbstractBuilder<?> builder = switch (settings.mode()) {
            case SINGLE_NODE -> singleNode(settings);
            case MULTI_NODE -> multiNode(settings);
            case ORDERED -> Outbox.ordered();
            case WRITER_ONLY -> Outbox.writerOnly();
        };
        ObservationRegistry observations = contributions.observations();
        Polling polling = settings.delivery().polling();
        builder.backend(backend)
                .listenerRegistry(ObservedListeners.of(brokers.over(listeners), observations))
                .metrics(metrics)
                .intervalMs(polling.interval().toMillis())
                .batchSize(polling.batchSize())
                .skipRecent(polling.skipRecent())
                .drainTimeoutMs(settings.delivery().workers().drainTimeout().toMillis())
                .startManually();
        contributions.addTo(builder);
        if (!observations.isNoop()) {
            builder.writerHook(new ObservedWrites(observations));
        }
        if (workerThreads != null) {
            builder.workerThreads(workerThreads);
        }
        settings.purge().ifPresent(purge -> purge(builder, purge));
        brokers.addTo(builder);
        contributions.customize(builder);
        Outbox outbox = builder.build();
        used = true;
        LOG.log(Level.INFO, () -> describe(settings));
        return outbox;
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

    private static String describe(OutboxSettings settings) {
        String polling = ", polling every " + settings.delivery().polling().interval();
        Workers workers = settings.delivery().workers();
        String delivery = switch (settings.mode()) {
            case SINGLE_NODE, MULTI_NODE ->
                ", " + workers.count() + " workers, " + workers.maxAttempts() + " attempts" + polling;
            case ORDERED -> polling;
            case WRITER_ONLY -> "";
        };
        String kept = settings.purge()
                .map(purge -> ", finished events kept for " + purge.retention())
                .orElse(", no purge");
        return "Outbox in table " + settings.table().name() + ": mode " + settings.mode() + delivery + kept;
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
                .retryPolicy(retryPolicy(settings));
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
