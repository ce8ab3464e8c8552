package io.outbox.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Builds an {@link Outbox} from settings, an engine and what the application has to add. Delivery is not started. */
final class OutboxAssembler {

    private static final System.Logger LOG = System.getLogger(OutboxAssembler.class.getName());

    private final Contributions contributions;
    private final RetryPolicy retryPolicy;
    private final ObservationRegistry observations;
    private final ThreadFactory workerThreads;
    private PublisherLanes publisher = PublisherLanes.none();

    OutboxAssembler(
            Contributions contributions,
            ObjectProvider<RetryPolicy> retryPolicy,
            ObjectProvider<ObservationRegistry> observations,
            Environment environment) {
        this.contributions = contributions;
        this.retryPolicy = retryPolicy.getIfAvailable();
        this.observations = observations.getIfAvailable(() -> ObservationRegistry.NOOP);
        this.workerThreads = virtualThreadsWanted(environment)
                ? new VirtualThreadTaskExecutor("outbox-worker-").getVirtualThreadFactory()
                : null;
    }

    /** Adds the event types that go to a broker to every outbox. */
    OutboxAssembler publisher(PublisherLanes publisher) {
        this.publisher = publisher;
        return this;
    }

    /** Returns whether event types have lanes of their own, and need an index. */
    boolean hasLanes() {
        return !publisher.eventTypes().isEmpty();
    }

    private static boolean virtualThreadsWanted(Environment environment) {
        return environment.getProperty("spring.threads.virtual.enabled", boolean.class, false)
                && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE);
    }

    Outbox assemble(
            OutboxProperties properties, OutboxBackend backend, ListenerRegistry listeners, MetricsExporter metrics) {
        Outbox.AbstractBuilder<?> builder = switch (properties.getMode()) {
            case SINGLE_NODE -> singleNode(properties);
            case MULTI_NODE -> multiNode(properties);
            case ORDERED -> Outbox.ordered();
            case WRITER_ONLY -> Outbox.writerOnly();
        };
        OutboxProperties.Poller poller = properties.getPoller();
        builder.backend(backend)
                .listenerRegistry(ObservedListeners.of(publisher.over(listeners), observations))
                .metrics(metrics)
                .intervalMs(poller.getIntervalMs())
                .batchSize(poller.getBatchSize())
                .skipRecent(Duration.ofMillis(poller.getSkipRecentMs()))
                .drainTimeoutMs(properties.getDispatcher().getDrainTimeoutMs())
                .startManually();
        contributions.addTo(builder);
        if (!observations.isNoop()) {
            builder.writerHook(new ObservedWrites(observations));
        }
        if (workerThreads != null) {
            builder.workerThreads(workerThreads);
        }
        OutboxProperties.Purge purge = properties.getPurge();
        if (purge.isEnabled()) {
            builder.purgeRetention(purge.getRetention())
                    .purgeBatchSize(purge.getBatchSize())
                    .purgeIntervalSeconds(purge.getIntervalSeconds());
        }
        publisher.addTo(builder);
        Outbox outbox = builder.build();
        LOG.log(Level.INFO, () -> describe(properties));
        return outbox;
    }

    private static String describe(OutboxProperties properties) {
        OutboxProperties.Dispatcher dispatcher = properties.getDispatcher();
        OutboxProperties.Purge purge = properties.getPurge();
        String kept = purge.isEnabled() ? ", finished events kept for " + purge.getRetention() : ", no purge";
        String delivery = switch (properties.getMode()) {
            case SINGLE_NODE, MULTI_NODE ->
                ", " + dispatcher.getWorkerCount() + " workers, "
                        + dispatcher.getMaxAttempts() + " attempts, polling every "
                        + properties.getPoller().getIntervalMs() + " ms";
            case ORDERED -> ", polling every " + properties.getPoller().getIntervalMs() + " ms";
            case WRITER_ONLY -> "";
        };
        return "Outbox in table " + properties.getTableName() + ": mode " + properties.getMode() + delivery + kept;
    }

    private Outbox.SingleNodeBuilder singleNode(OutboxProperties properties) {
        OutboxProperties.Dispatcher dispatcher = properties.getDispatcher();
        return Outbox.singleNode()
                .workerCount(dispatcher.getWorkerCount())
                .hotQueueCapacity(dispatcher.getHotQueueCapacity())
                .coldQueueCapacity(dispatcher.getColdQueueCapacity())
                .maxAttempts(dispatcher.getMaxAttempts())
                .retryPolicy(retryPolicy(properties));
    }

    private Outbox.MultiNodeBuilder multiNode(OutboxProperties properties) {
        OutboxProperties.Dispatcher dispatcher = properties.getDispatcher();
        OutboxProperties.ClaimLocking claimLocking = properties.getClaimLocking();
        Outbox.MultiNodeBuilder builder = Outbox.multiNode()
                .workerCount(dispatcher.getWorkerCount())
                .hotQueueCapacity(dispatcher.getHotQueueCapacity())
                .coldQueueCapacity(dispatcher.getColdQueueCapacity())
                .maxAttempts(dispatcher.getMaxAttempts())
                .retryPolicy(retryPolicy(properties));
        return claimLocking.getOwnerId() == null
                ? builder.claimLocking(claimLocking.getLockTimeout())
                : builder.claimLocking(claimLocking.getOwnerId(), claimLocking.getLockTimeout());
    }

    private RetryPolicy retryPolicy(OutboxProperties properties) {
        return retryPolicy != null
                ? retryPolicy
                : new ExponentialBackoffRetryPolicy(
                        properties.getRetry().getBaseDelayMs(),
                        properties.getRetry().getMaxDelayMs());
    }
}
