package io.outbox;

import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.dispatch.StackTraces;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.EventPurger;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.WakeUp;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The settings that the builders of all outboxes have. Setters check their value, {@code build()} checks how they fit
 * together.
 *
 * @param <B> the builder, which every setter returns
 */
abstract class CommonSettings<B extends Outbox.AbstractBuilder<B>> {

    final OutboxAssembly assembly = new OutboxAssembly();

    abstract B self();

    /** Connections outside of business transactions. Required unless {@link #backend} is given. */
    public B connectionProvider(ConnectionProvider connectionProvider) {
        assembly.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
        return self();
    }

    /** The business transaction. Required unless {@link #backend} is given. */
    public B txContext(TxContext txContext) {
        assembly.txContext = Objects.requireNonNull(txContext, "txContext");
        return self();
    }

    /** The database's SQL. Required unless {@link #backend} is given. */
    public B outboxStore(OutboxStore outboxStore) {
        assembly.outboxStore = Objects.requireNonNull(outboxStore, "outboxStore");
        return self();
    }

    /** The storage engine, instead of connection provider, transaction context, store and purger. */
    public B backend(OutboxBackend backend) {
        assembly.backend = Objects.requireNonNull(backend, "backend");
        return self();
    }

    /**
     * Wraps the storage engine, whether it was given or is built from its parts: what the decorator returns is what
     * the outbox uses. Several are applied in the order in which they were added, each around the one before.
     */
    public B decorateBackend(UnaryOperator<OutboxBackend> decorator) {
        assembly.backendDecorators.add(Objects.requireNonNull(decorator, "decorator"));
        return self();
    }

    /**
     * Wraps the listener registry, with the listeners of {@link #subscribe} in it under their stored route: what the
     * decorator returns is where the outbox looks for listeners. Several are applied in the order in which they were
     * added, each around the one before. Without a {@link #listenerRegistry} there is nothing to wrap.
     *
     * <p>A registry that wraps another extends {@link ForwardingRegistry}, and returns {@code null} for an event
     * without a listener.
     */
    public B decorateListeners(UnaryOperator<ListenerRegistry> decorator) {
        assembly.listenerDecorators.add(Objects.requireNonNull(decorator, "decorator"));
        return self();
    }

    /**
     * Wraps the metrics exporter, be it {@link MetricsExporter#NOOP}: what the decorator returns is what the outbox
     * reports to. Several are applied in the order in which they were added, each around the one before. An exporter
     * that throws disturbs nothing but what it exports.
     */
    public B decorateMetrics(UnaryOperator<MetricsExporter> decorator) {
        assembly.metricsDecorators.add(Objects.requireNonNull(decorator, "decorator"));
        return self();
    }

    /** Where listeners are found. Required wherever events are delivered. */
    public B listenerRegistry(ListenerRegistry listenerRegistry) {
        assembly.listenerRegistry = Objects.requireNonNull(listenerRegistry, "listenerRegistry");
        return self();
    }

    /** Default: {@link MetricsExporter#NOOP}. */
    public B metrics(MetricsExporter metrics) {
        assembly.metrics = Objects.requireNonNull(metrics, "metrics");
        return self();
    }

    /** Adds an interceptor. */
    public B interceptor(EventInterceptor interceptor) {
        assembly.delivery.interceptor(interceptor);
        return self();
    }

    /** Adds interceptors, in order. */
    public B interceptors(List<EventInterceptor> interceptors) {
        assembly.delivery.interceptors(interceptors);
        return self();
    }

    /** The poller's longest sleep. Default: {@value OutboxPoller#DEFAULT_INTERVAL_MS}. */
    public B intervalMs(long intervalMs) {
        assembly.polling.intervalMs(intervalMs);
        return self();
    }

    /**
     * The poller's shortest sleep, after it has found events that this node did not write; with each look that finds
     * none it sleeps twice as long, up to the interval. While hints arrive ({@link #wakeUp}), it sleeps for the
     * interval as soon as the next sleep would be longer than 100 ms. Default: 10.
     */
    public B minIntervalMs(long minIntervalMs) {
        assembly.polling.minIntervalMs(minIntervalMs);
        return self();
    }

    /**
     * How many events the poller reads at a time. Default: {@value OutboxPoller#DEFAULT_BATCH_SIZE}, from which pages
     * grow up to 500 while a backlog drains; a number that is set stays.
     */
    public B batchSize(int batchSize) {
        assembly.polling.batchSize(batchSize);
        return self();
    }

    /** The age below which the poller leaves events alone. Default: zero. */
    public B skipRecent(Duration skipRecent) {
        assembly.polling.skipRecent(skipRecent);
        return self();
    }

    /** How long close() continues to deliver. Default: {@value OutboxDispatcher#DEFAULT_DRAIN_TIMEOUT_MS}. */
    public B drainTimeoutMs(long drainTimeoutMs) {
        assembly.delivery.drainTimeoutMs(drainTimeoutMs);
        return self();
    }

    /** Deletes finished events with this purger. Default: events are kept. */
    public B purger(EventPurger purger) {
        assembly.purger = Objects.requireNonNull(purger, "purger");
        return self();
    }

    /**
     * How long finished events are kept. Default: 7 days. With {@link #backend}, setting it turns purging on; with
     * a store, {@link #purger} does.
     *
     * <p>Zero, where events are delivered, keeps no DONE event at all: it is deleted instead of marked, purger or not,
     * if the store has {@link io.outbox.spi.Capability#DELETE_DONE}. DEAD events then stay until they are replayed, and
     * purges only look for what was DONE before; a {@link #purger} of your own decides by its
     * {@link EventPurger#purgeDone}.
     */
    public B purgeRetention(Duration retention) {
        assembly.purge.retention(retention);
        assembly.purging = true;
        assembly.keepsNothing = retention.isZero();
        return self();
    }

    /** How many events one purge transaction deletes. Default: {@value OutboxPurgeScheduler#DEFAULT_BATCH_SIZE}. */
    public B purgeBatchSize(int batchSize) {
        assembly.purge.batchSize(batchSize);
        return self();
    }

    /** The time between purges. Default: {@value OutboxPurgeScheduler#DEFAULT_INTERVAL_SECONDS}. */
    public B purgeIntervalSeconds(long intervalSeconds) {
        assembly.purge.intervalSeconds(intervalSeconds);
        return self();
    }

    /** The time from the start to the first purge. Default: none. */
    public B purgeInitialDelay(Duration initialDelay) {
        assembly.purge.initialDelay(initialDelay);
        return self();
    }

    /**
     * Makes purges delete only DONE events, so that DEAD ones stay until they are replayed. A {@link #purger} of your
     * own decides by its {@link EventPurger#purgeDone}.
     */
    public B purgeKeepsDead() {
        assembly.purge.keepDead();
        return self();
    }

    /**
     * Notifies outboxes in other processes of events that this one does not deliver itself, and receives their
     * notifications. Default: no notifications; the next poll finds these events.
     */
    public B wakeUp(WakeUp wakeUp) {
        assembly.wakeUp = Objects.requireNonNull(wakeUp, "wakeUp");
        assembly.delivery.wakeUp(wakeUp);
        assembly.polling.hintsArrive(wakeUp::isConnected);
        return self();
    }

    /**
     * How dead letters are looked after, where the store keeps them. Default: {@link DeadLetterPolicy#DEFAULT}.
     *
     * @see io.outbox.spi.DeadEventBackend#queue()
     */
    public B deadLetters(DeadLetterPolicy policy) {
        assembly.deadLetterPolicy = Objects.requireNonNull(policy, "policy");
        return self();
    }

    /**
     * Delivers events of one key in the order in which they were written: {@code ordering(Ordering.byKey())}. The
     * outbox table needs the columns of {@code schema/*-keyed.sql} for it. All outboxes on a table, those that only
     * write among them, have to be told the same. Default: no order.
     *
     * @throws IllegalStateException when the outbox is built, if the store cannot keep the order
     */
    public B ordering(Ordering ordering) {
        assembly.delivery.ordering(ordering);
        return self();
    }

    /** The clock for due times, retries and retention. Default: the system clock. */
    public B clock(Clock clock) {
        assembly.clock = Objects.requireNonNull(clock, "clock");
        assembly.delivery.clock(clock);
        assembly.polling.clock(clock);
        assembly.purge.clock(clock);
        return self();
    }

    /**
     * Reads the payloads of the events that this outbox delivers, and writes those of its {@link Outbox#publisher()}.
     * Default: the {@linkplain JsonCodec#getDefault() default codec} at the time of each call.
     */
    public B jsonCodec(JsonCodec jsonCodec) {
        assembly.jsonCodec = Objects.requireNonNull(jsonCodec, "jsonCodec");
        assembly.delivery.jsonCodec(jsonCodec);
        return self();
    }

    /**
     * Makes the {@link Outbox#publisher()} from the writer of this outbox and its {@link #jsonCodec}, which is {@code
     * null} if none was set. Default: a {@link DefaultOutboxPublisher}.
     */
    public B publisher(BiFunction<OutboxWriter, @Nullable JsonCodec, OutboxPublisher> publisher) {
        assembly.publisher = Objects.requireNonNull(publisher, "publisher");
        return self();
    }

    /** Adds what turns payloads of an older version of an event type into a newer one. */
    public B upcaster(Upcaster upcaster) {
        assembly.upcasters.add(Objects.requireNonNull(upcaster, "upcaster"));
        return self();
    }

    /**
     * The version of an event type, with which its events are written and up to which they can be read. Default: where
     * its {@link Upcaster}s lead, or else 1.
     *
     * @throws IllegalStateException if the type has another version already
     */
    public B eventVersion(String eventType, int version) {
        assembly.eventVersion(eventType, version);
        return self();
    }

    /** Makes the threads that call listeners. Default: daemon threads. */
    public B workerThreads(ThreadFactory threadFactory) {
        assembly.delivery.threadFactory(threadFactory);
        return self();
    }

    /** Adds a hook that accompanies writes, in front of the outbox's own. */
    public B writerHook(WriterHook writerHook) {
        assembly.writerHooks.add(Objects.requireNonNull(writerHook, "writerHook"));
        return self();
    }

    /** Adds a callback for events whose end is durable. Several are called in the order in which they were added. */
    public B completionListener(CompletionListener completionListener) {
        assembly.delivery.completionListener(completionListener);
        return self();
    }

    /**
     * Carries a context of the application from the write of an event to its listener. Several are captured and
     * restored in the order in which they were added, after other hooks of the writer.
     */
    public B contextPropagator(ContextPropagator contextPropagator) {
        assembly.delivery.contextPropagator(contextPropagator);
        return self();
    }

    /** Gives an event type its own lane: queues, workers and settings that are separate from all other types. */
    public B lane(String eventType, LanePolicy policy) {
        assembly.delivery.lane(eventType, policy);
        return self();
    }

    /**
     * Also delivers each event of the subscription's route to this listener, with its own retries and outcome. As
     * {@link #subscription}, with the listener; an outbox that only writes has no use for it.
     *
     * @throws IllegalStateException if the route has a subscription of this name already
     */
    public B subscribe(Subscription subscription, EventListener listener) {
        Objects.requireNonNull(listener, "listener");
        assembly.subscription(subscription);
        assembly.subscribed.register(subscription, listener);
        return self();
    }

    /** Subscribes the listener to events of no particular aggregate type, under a name that is stored with them. */
    public B subscribe(String name, String eventType, EventListener listener) {
        return subscribe(Subscription.of(name, eventType), listener);
    }

    /**
     * Declares a subscription, so that a row is written for it with each event of its route, and a lane is set up if it
     * has one. Its listener is looked for in the {@link #listenerRegistry}, registered before delivery starts by
     * {@code register(subscription, listener)}.
     *
     * <p>The route's own listener gets the events as before, if it is registered before delivery starts. If there is
     * none by then, there are the subscriptions alone, unless {@link #listenerElsewhere} says that there is one in
     * another outbox. An outbox that only writes has no listeners, so it writes for others what it is told here.
     *
     * @throws IllegalStateException if the route has a subscription of this name already, or the stored event type a
     *     lane
     */
    public B subscription(Subscription subscription) {
        assembly.subscription(subscription);
        return self();
    }

    /**
     * Declares that another outbox has an unnamed listener for this route, or that another program reads its events
     * from the table: events are written for it in addition to the subscriptions declared here.
     */
    public B listenerElsewhere(String aggregateType, String eventType) {
        assembly.listenerElsewhere(aggregateType, eventType);
        return self();
    }

    /**
     * Reports when all listeners are registered, if this is known before delivery starts. Default: they are registered
     * when {@link Outbox#start()} or {@link Outbox#deliverDue()} is called. What is written earlier for the
     * subscriptions of a route also reaches a listener of the route that is registered later; without one, that row is
     * done with the first delivery.
     */
    public B listenersRegistered(BooleanSupplier areRegistered) {
        assembly.listenersRegistered = Objects.requireNonNull(areRegistered, "areRegistered");
        return self();
    }

    /**
     * How much of the stack trace of a failed attempt is stored. Default:
     * {@link OutboxDispatcher#DEFAULT_STACK_TRACES}.
     */
    public B stackTraces(StackTraces stackTraces) {
        assembly.delivery.stackTraces(stackTraces);
        return self();
    }
}
