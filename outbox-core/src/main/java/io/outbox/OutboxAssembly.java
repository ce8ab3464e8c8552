package io.outbox;

import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.dispatch.LanePolicy;
import io.outbox.internal.completion.Moves;
import io.outbox.internal.delivery.DeliveryEngine;
import io.outbox.internal.delivery.DeliverySettings;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.polling.PollingLoop;
import io.outbox.internal.subscription.GivenListeners;
import io.outbox.internal.subscription.Route;
import io.outbox.internal.subscription.SubscribedListeners;
import io.outbox.internal.subscription.Subscriptions;
import io.outbox.internal.versions.Versions;
import io.outbox.internal.writing.HotPath;
import io.outbox.model.OutboxEvent;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.Capability;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventPurger;
import io.outbox.spi.EventTypes;
import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.Lease;
import io.outbox.spi.Limits;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.WakeUp;
import io.outbox.spi.WriteBackend;
import io.outbox.store.StoreBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Puts an {@link Outbox} together from what its builders were told. Each assembly makes one outbox. Not thread-safe.
 */
final class OutboxAssembly {

    @Nullable
    ConnectionProvider connectionProvider;

    @Nullable
    TxContext txContext;

    @Nullable
    OutboxStore outboxStore;

    @Nullable
    OutboxBackend backend;

    @Nullable
    EventPurger purger;

    boolean purging;
    boolean keepsNothing;

    @Nullable
    DeadLetterPolicy deadLetterPolicy;

    @Nullable
    ListenerRegistry listenerRegistry;

    MetricsExporter metrics = MetricsExporter.NOOP;

    @Nullable
    JsonCodec jsonCodec;

    BiFunction<OutboxWriter, @Nullable JsonCodec, OutboxPublisher> publisher = DefaultOutboxPublisher::new;

    @Nullable
    WakeUp wakeUp;

    Clock clock = Clock.systemUTC();
    final List<UnaryOperator<OutboxBackend>> backendDecorators = new ArrayList<>();
    final List<UnaryOperator<ListenerRegistry>> listenerDecorators = new ArrayList<>();
    final List<UnaryOperator<MetricsExporter>> metricsDecorators = new ArrayList<>();
    final List<WriterHook> writerHooks = new ArrayList<>();
    final List<Upcaster> upcasters = new ArrayList<>();
    private final Map<String, Integer> eventVersions = new LinkedHashMap<>();
    final List<Subscription> subscriptions = new ArrayList<>();
    private final Set<Route> listenersElsewhere = new HashSet<>();
    BooleanSupplier listenersRegistered = () -> false;
    private final AtomicBoolean deliveryBegun = new AtomicBoolean();
    final DefaultListenerRegistry subscribed = new DefaultListenerRegistry();
    final DeliverySettings delivery = new DeliverySettings();
    final PollSettings polling = new PollSettings();
    final OutboxPurgeScheduler.Builder purge = OutboxPurgeScheduler.builder();

    OutboxAssembly() {
        polling.minIntervalMs(PollSettings.DEFAULT_MIN_INTERVAL_MS);
        delivery.keySweeps(polling);
    }

    /** The parts of an outbox, without delivery if it only writes. */
    record Parts(
            Writing writing,
            @Nullable Delivery delivery,
            Housekeeping housekeeping,
            @Nullable WakeUp wakeUp,
            Clock clock) {}

    /** What keeps house, as far as there is something. */
    record Housekeeping(
            @Nullable HousekeepingBackend backend,
            @Nullable OutboxPurgeScheduler purgeScheduler,
            @Nullable DeadLetterQueue deadLetters,
            @Nullable EventWatch events) {

        static final Housekeeping NONE = new Housekeeping(null, null, null, null);
    }

    /** What writes. */
    record Writing(OutboxWriter writer, OutboxPublisher publisher) {}

    /** What delivers; who begins to deliver says so, since listeners are registered by then. */
    record Delivery(DeliveryEngine engine, PollingLoop poller, Policies policies, AtomicBoolean begun) {}

    /** How is delivered, and what; without a lease where events are not locked. */
    record Policies(
            Map<String, LanePolicy> lanes,
            LanePolicy shared,
            @Nullable Lease lease,
            ListenerRegistry listeners) {}

    private Policies policies(ListenerRegistry listeners) {
        return new Policies(delivery.lanePolicies(), delivery.sharedPolicy(), delivery.lease(), listeners);
    }

    void listenerElsewhere(String aggregateType, String eventType) {
        listenersElsewhere.add(
                new Route(Check.notBlank(aggregateType, "aggregateType"), Check.notBlank(eventType, "eventType")));
    }

    /** @throws IllegalStateException if the type has another version already */
    void eventVersion(String eventType, int version) {
        Check.notBlank(eventType, "eventType");
        Integer other = eventVersions.putIfAbsent(eventType, Limits.atLeastOne(version, "version"));
        if (other != null && other != version) {
            throw new IllegalStateException("Event type '" + eventType + "' has version " + other + " already, and "
                    + version + " as well: an event type has one version at a time");
        }
    }

    private Versions versions() {
        return new Versions(upcasters, eventVersions);
    }

    /** @throws IllegalStateException if the route has a subscription of this name already */
    void subscription(Subscription subscription) {
        Objects.requireNonNull(subscription, "subscription");
        boolean isTaken = subscriptions.stream()
                .anyMatch(other -> other.storedEventType().equals(subscription.storedEventType())
                        && other.aggregateType().equals(subscription.aggregateType()));
        if (isTaken) {
            throw new IllegalStateException("There is a subscription '" + subscription.name() + "' of event type '"
                    + subscription.eventType() + "' already; each subscription of a route needs its own name");
        }
        if (subscription.lane() != null) {
            delivery.lane(subscription.storedEventType(), subscription.lane());
        }
        subscriptions.add(subscription);
    }

    /** Assembles an outbox that delivers. */
    Parts delivering(boolean hotPath) {
        return delivering(wholeBackend(), hotPath);
    }

    private Parts delivering(OutboxBackend store, boolean hotPath) {
        ListenerRegistry listeners = Objects.requireNonNull(listeners(), "listenerRegistry is required");
        delivery.listenerRegistry(new SubscribedListeners(listeners));
        delivery.versions(versions());
        MetricsExporter exporter = exporter();
        countHints(exporter);
        EngineMetrics engineMetrics = new EngineMetrics(exporter);
        if (keepsNothing) {
            deleteDone(store);
        }
        OutboxPurgeScheduler purgeScheduler = purgeScheduler(store, exporter);
        DeadLetterQueue deadLetters = deadLetters(store, exporter);
        AtomicReference<DeliveryEngine> holder = new AtomicReference<>();
        EventWatch events = new EventWatch(
                store, eventId -> Objects.requireNonNull(holder.get()).isHeld(eventId));
        delivery.ends(events::ended);
        DeliveryEngine engine = new DeliveryEngine(store, delivery, engineMetrics);
        holder.set(engine);
        try {
            PollingLoop loop = new PollingLoop(engine.backend(), engine.coldPath(), polling, engineMetrics);
            delivery.lanePolicies().keySet().forEach(type -> engineMetrics.recordRouteUnavailable(type, false));
            HotPath path = hotPath ? engine.hotPath(exporter) : HotPath.NONE;
            return new Parts(
                    writing(
                            store,
                            shares(listeners, () -> deliveryBegun.get() || listenersRegistered.getAsBoolean()),
                            path),
                    new Delivery(engine, loop, policies(listeners), deliveryBegun),
                    new Housekeeping(store, purgeScheduler, deadLetters, events),
                    wakeUp,
                    clock);
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /** Leaves the purge nothing but what was done before. */
    private void deleteDone(OutboxBackend store) {
        delivery.deleteDone();
        if (store.supports(Capability.DELETE_DONE)) {
            purge.keepDead();
        }
    }

    /** Assembles an outbox that delivers one of several nodes' shares. */
    Parts deliveringUnder(@Nullable Lease lease) {
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
        return delivering(store, true);
    }

    /** Assembles an outbox that delivers one event after the other. */
    Parts deliveringInOrder() {
        if (delivery.hasLanes()) {
            throw new IllegalStateException(
                    "Ordered mode delivers one event after the other, so no event type can have its own lane");
        }
        if (delivery.ordering() != null) {
            throw new IllegalStateException(
                    "Ordered mode delivers all events one after the other, so there is no order by key to"
                            + " keep: leave ordering(...) out, or use Outbox.singleNode() or Outbox.multiNode()");
        }
        delivery.workerCount(1);
        delivery.maxAttempts(1);
        delivery.strictOrder();
        return delivering(false);
    }

    /** Assembles an outbox that only writes. Connections are needed only for a whole backend, as to purge. */
    Parts writing() {
        if (backend == null && connectionProvider == null && purger == null && backendDecorators.isEmpty()) {
            WriteBackend store = StoreBackend.forWriting(
                    Objects.requireNonNull(txContext, "txContext is required"),
                    Objects.requireNonNull(outboxStore, "outboxStore is required"));
            countHints(exporter());
            return new Parts(
                    writing(store, shares(listeners(), () -> true), HotPath.NONE),
                    null,
                    Housekeeping.NONE,
                    wakeUp,
                    clock);
        }
        OutboxBackend store = wholeBackend();
        MetricsExporter exporter = exporter();
        countHints(exporter);
        return new Parts(
                writing(store, shares(listeners(), () -> true), HotPath.NONE),
                null,
                new Housekeeping(
                        store,
                        purgeScheduler(store, exporter),
                        deadLetters(store, exporter),
                        new EventWatch(store, eventId -> false)),
                wakeUp,
                clock);
    }

    /** Returns the dead letter queue, if the store has one, and has those told that are moved by delivery. */
    private @Nullable DeadLetterQueue deadLetters(HousekeepingBackend store, MetricsExporter exporter) {
        DeadLetterBackend letters =
                store.deadEvents().flatMap(DeadEventBackend::queue).orElse(null);
        if (letters == null) {
            if (deadLetterPolicy != null) {
                throw new IllegalStateException("deadLetters(...) needs a store that keeps dead letters, as that of"
                        + " JdbcOutbox.withDeadLetters(); this one leaves dead events where they are");
            }
            return null;
        }
        DeadLetterPolicy policy = deadLetterPolicy == null ? DeadLetterPolicy.DEFAULT : deadLetterPolicy;
        DeadLetterQueue queue = new DeadLetterQueue(
                letters, policy, exporter, () -> delivery.alarm().dueNow(EventTypes.ALL));
        if (letters.movesAtDeath()) {
            delivery.moves(new Moves() {
                @Override
                public void made(List<OutboxEvent> events, Duration writeTook) {
                    queue.moved(events, writeTook);
                }

                @Override
                public void failed(int events) {
                    queue.notMoved(events);
                }
            });
        }
        return queue;
    }

    /** @param areRegistered tells whether a route that has no listener will not get one either */
    private Subscriptions shares(@Nullable ListenerRegistry listeners, BooleanSupplier areRegistered) {
        return new Subscriptions(
                subscriptions, (aggregate, type) -> hasListener(listeners, aggregate, type), areRegistered);
    }

    private Writing writing(WriteBackend store, Subscriptions shares, HotPath path) {
        List<WriterHook> hooks = new ArrayList<>(writerHooks);
        Versions versions = versions();
        if (!versions.isEmpty()) {
            hooks.add(versions);
        }
        hooks.add(delivery.contexts());
        if (path == HotPath.NONE && wakeUp != null) {
            hooks.add(new WakeUpHook(wakeUp, clock, Duration.ofMillis(polling.intervalMs())));
        }
        Ordering ordering = delivery.ordering();
        if (ordering != null) {
            prepare(store, ordering);
        }
        OutboxWriter writer = new DefaultOutboxWriter(
                store,
                hooks,
                shares,
                path,
                new DefaultOutboxWriter.Order(delivery.orderKeys(), ordering != null && ordering.locksWrites()));
        return new Writing(writer, Objects.requireNonNull(publisher.apply(writer, jsonCodec), "publisher"));
    }

    private static void prepare(WriteBackend store, Ordering ordering) {
        if (ordering.locksWrites()
                && store instanceof DeliveryBackend engine
                && !engine.supports(Capability.LOCK_KEYS)) {
            throw new IllegalStateException(
                    "Ordering.lockingWrites() needs a store that can lock keys, as those of PostgreSQL, MySQL, MariaDB and H2;"
                            + " with this one, serialise the writers of a key by a row lock or a version column of the aggregate");
        }
        store.prepareKeys();
    }

    /** Returns whether somebody receives events of the route beside its subscriptions, here or elsewhere. */
    private boolean hasListener(@Nullable ListenerRegistry listeners, String aggregateType, String eventType) {
        return listenersElsewhere.contains(new Route(aggregateType, eventType))
                || (listeners != null && listeners.listenerFor(aggregateType, eventType) != null);
    }

    private @Nullable OutboxPurgeScheduler purgeScheduler(HousekeepingBackend store, MetricsExporter exporter) {
        boolean wanted = backend != null ? purging : purger != null;
        return wanted ? purge.backend(store).metrics(exporter).build() : null;
    }

    /** Returns where all listeners are found, those given with their subscription among them. */
    private @Nullable ListenerRegistry listeners() {
        return listenerRegistry == null
                ? null
                : decorated(new GivenListeners(subscribed, listenerRegistry), listenerDecorators, "listener registry");
    }

    private void countHints(MetricsExporter exporter) {
        if (wakeUp != null && exporter != MetricsExporter.NOOP) {
            wakeUp.reportTo(exporter);
        }
    }

    private MetricsExporter exporter() {
        return decorated(metrics, metricsDecorators, "metrics exporter");
    }

    private OutboxBackend wholeBackend() {
        return decorated(plainBackend(), backendDecorators, "backend");
    }

    private static <T> T decorated(T plain, List<UnaryOperator<T>> decorators, String what) {
        T decorated = plain;
        for (UnaryOperator<T> decorator : decorators) {
            decorated = Objects.requireNonNull(decorator.apply(decorated), () -> "a decorator returned no " + what);
        }
        return decorated;
    }

    private OutboxBackend plainBackend() {
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
