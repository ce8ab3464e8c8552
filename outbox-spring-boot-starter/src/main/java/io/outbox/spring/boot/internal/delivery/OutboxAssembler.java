package io.outbox.spring.boot.internal.delivery;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.listeners.ListenerCatalog;
import io.outbox.spring.boot.internal.listeners.ListenerDefinition;
import io.outbox.spring.boot.internal.listeners.ListenerRegistrationException;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Locking;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Retry;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Builds an {@link Outbox} from settings, an engine and what the application has to add. Delivery is not started. */
public final class OutboxAssembler {

    private final Contributions contributions;
    private final BrokerLanes brokers;
    private final ListenerCatalog catalog;
    private final StoreMeters storeMeters;
    private final ThreadFactory workerThreads;
    private final Map<Outbox, StartupLine> startupLines = new ConcurrentHashMap<>();

    public OutboxAssembler(
            Contributions contributions,
            BrokerLanes brokers,
            ListenerCatalog catalog,
            StoreMeters storeMeters,
            Environment environment) {
        this.contributions = contributions;
        this.catalog = catalog;
        this.brokers = brokers;
        this.storeMeters = storeMeters;
        this.workerThreads = virtualThreadsWanted(environment)
                ? new VirtualThreadTaskExecutor("outbox-worker-").getVirtualThreadFactory()
                : null;
    }

    /** Returns whether event types have lanes of their own, and need an index. */
    public boolean hasLanes() {
        return !brokers.eventTypes().isEmpty()
                || catalog.annotated().stream().anyMatch(listener -> listener.lane() != null);
    }

    /** Returns how dead letters are kept; empty if they are not. */
    public Optional<DeadLetterSettings> deadLetters() {
        return contributions.deadLetters();
    }

    /** Returns whether an outbox was built here, as opposed to one that the application builds itself. */
    public boolean isUsed() {
        return !startupLines.isEmpty();
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
        Outbox.AbstractBuilder<?> builder = switch (settings.mode()) {
            case SINGLE_NODE -> singleNode(settings);
            case MULTI_NODE -> multiNode(settings);
            case ORDERED -> Outbox.ordered();
            case WRITER_ONLY -> Outbox.writerOnly();
        };
        ObservationRegistry observations = contributions.observations();
        MetricsTap tap = contributions.metricsTap();
        MetricsExporter tapped = tap.around(metrics);
        Polling polling = settings.delivery().polling();
        builder.backend(backend)
                .listenerRegistry(ObservedListeners.of(brokers.over(listeners), observations))
                .metrics(tapped)
                .intervalMs(polling.interval().toMillis())
                .skipRecent(polling.skipRecent())
                .drainTimeoutMs(settings.delivery().workers().drainTimeout().toMillis())
                .startManually();
        polling.batchSize().ifPresent(builder::batchSize);
        contributions.addTo(builder);
        if (name.isEmpty()) {
            contributions.addWakeUp(builder);
        }
        if (!observations.isNoop()) {
            builder.writerHook(new ObservedWrites(observations));
        }
        if (workerThreads != null) {
            builder.workerThreads(workerThreads);
        }
        settings.purge().ifPresent(purge -> purge(builder, purge));
        brokers.addTo(builder);
        List<ListenerDefinition> annotated = catalog.ofOutbox(name);
        annotated.forEach(listener -> requireOwnLane(listener, annotated, settings.mode()));
        catalog.addTo(builder, name, settings);
        contributions.customize(builder);
        Outbox outbox = builder.build();
        tap.built(outbox, tapped);
        if (settings.mode() != Mode.WRITER_ONLY) {
            storeMeters.bind(metrics, backend);
        }
        Set<String> lanes = lanes(name);
        lanes.forEach(eventType -> metrics.recordRouteUnavailable(eventType, false));
        startupLines.put(outbox, new StartupLine(settings, listeners, lanes));
        return outbox;
    }

    /** Returns the event types of the lanes, as they are stored. */
    private Set<String> lanes(String outbox) {
        Set<String> lanes = new TreeSet<>(brokers.eventTypes());
        catalog.ofOutbox(outbox).stream()
                .filter(listener -> listener.lane() != null)
                .map(ListenerDefinition::storedEventType)
                .forEach(lanes::add);
        return lanes;
    }

    /** Refuses a lane where there are none, and one that other listeners would be in, too: it has all events of a type. */
    private static void requireOwnLane(ListenerDefinition listener, List<ListenerDefinition> all, Mode mode) {
        if (listener.lane() == null) {
            return;
        }
        if (mode == Mode.ORDERED) {
            throw refused(
                    listener, "outbox.mode is ORDERED, where no event type can be delivered apart from the others");
        }
        all.stream()
                .filter(other -> other.storedEventType().equals(listener.storedEventType()))
                .filter(other -> !other.route().equals(listener.route()))
                .findFirst()
                .ifPresent(other -> {
                    throw refused(
                            listener,
                            "'" + other.description() + "' takes events of the same type, and all events of a type have"
                                    + " the same settings, whatever their aggregate type: give the listeners"
                                    + " subscriptions of different names, or event types of their own");
                });
    }

    private static ListenerRegistrationException refused(ListenerDefinition listener, String reason) {
        return new ListenerRegistrationException(
                listener.description(), new IllegalStateException("it has settings of its own, but " + reason));
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
