package io.outbox.internal.delivery;

import io.outbox.CompletionListener;
import io.outbox.Ordering;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.dispatch.StackTraces;
import io.outbox.internal.completion.Moves;
import io.outbox.internal.keyed.KeySettings;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.versions.Versions;
import io.outbox.internal.writing.OrderKeys;
import io.outbox.model.EventStatus;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.Lease;
import io.outbox.spi.Limits;
import io.outbox.spi.WakeUp;
import io.outbox.util.DaemonThreadFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;

/** How an engine delivers. Setters check their value. Not thread-safe. */
public final class DeliverySettings {

    public static final int DEFAULT_WORKER_COUNT = 4;
    public static final int DEFAULT_HOT_QUEUE_CAPACITY = 1000;
    public static final int DEFAULT_COLD_QUEUE_CAPACITY = 1000;
    public static final int DEFAULT_MAX_ATTEMPTS = 10;
    public static final long DEFAULT_DRAIN_TIMEOUT_MS = 5000;
    public static final Duration DEFAULT_UNROUTABLE_GRACE = Duration.ofMinutes(10);

    public static final StackTraces DEFAULT_STACK_TRACES = StackTraces.SHORT;

    private static final Duration LONGEST_GRACE = Duration.ofDays(3650);

    ListenerRegistry listenerRegistry;
    InFlightTracker inFlightTracker = new DefaultInFlightTracker();
    RetryPolicy retryPolicy = new ExponentialBackoffRetryPolicy(
            ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS, ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
    int maxAttempts = DEFAULT_MAX_ATTEMPTS;
    int workerCount = DEFAULT_WORKER_COUNT;
    int hotQueueCapacity = DEFAULT_HOT_QUEUE_CAPACITY;
    int coldQueueCapacity = DEFAULT_COLD_QUEUE_CAPACITY;
    long drainTimeoutMs = DEFAULT_DRAIN_TIMEOUT_MS;
    final List<EventInterceptor> interceptors = new ArrayList<>();
    final List<CompletionListener> completionListeners = new ArrayList<>();
    Moves moves;
    BiConsumer<String, EventStatus> ends = (eventId, status) -> {};
    final List<ContextPropagator> contextPropagators = new ArrayList<>();
    final Map<String, LanePolicy> lanes = new LinkedHashMap<>();
    Versions versions = Versions.NONE;
    JsonCodec jsonCodec;
    Clock clock = Clock.systemUTC();
    ThreadFactory threadFactory = new DaemonThreadFactory("outbox-worker-");
    Lease lease;
    private AlarmLine alarm = new AlarmLine();
    boolean strictOrder;
    boolean deleteDone;
    private Ordering ordering;
    private PollSettings keySweeps = new PollSettings();
    StackTraces stackTraces = DEFAULT_STACK_TRACES;
    Duration longestStandstill = Duration.ofSeconds(30);
    private Duration unroutableGrace = DEFAULT_UNROUTABLE_GRACE;

    /** Tells other nodes of what this one may not get to at once. */
    public void wakeUp(WakeUp value) {
        this.alarm = new AlarmLine(Objects.requireNonNull(value, "wakeUp"));
    }

    /** Returns the line by which the engine's poller, and other nodes, are told of due events. */
    public AlarmLine alarm() {
        return alarm;
    }

    public void listenerRegistry(ListenerRegistry value) {
        this.listenerRegistry = Objects.requireNonNull(value, "listenerRegistry");
    }

    public void inFlightTracker(InFlightTracker value) {
        this.inFlightTracker = Objects.requireNonNull(value, "inFlightTracker");
    }

    /** Returns the lanes of event types, as they are now. */
    public Map<String, LanePolicy> lanePolicies() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(lanes));
    }

    /** Returns how event types without a lane of their own are delivered, as it is now. */
    public LanePolicy sharedPolicy() {
        return LanePolicy.builder()
                .maxAttempts(maxAttempts)
                .retryPolicy(retryPolicy)
                .concurrency(workerCount)
                .queueCapacity(coldQueueCapacity)
                .build();
    }

    /** Returns the terms on which events are locked, or {@code null} if they are not. */
    public Lease lease() {
        return lease;
    }

    /** Tells of each event that this engine has ended, by its id, once that is durable. */
    public void ends(BiConsumer<String, EventStatus> value) {
        this.ends = value;
    }

    /** Told of events that become dead letters. */
    public void moves(Moves value) {
        this.moves = value;
    }

    public void retryPolicy(RetryPolicy value) {
        this.retryPolicy = Objects.requireNonNull(value, "retryPolicy");
    }

    public void stackTraces(StackTraces value) {
        this.stackTraces = Objects.requireNonNull(value, "stackTraces");
    }

    public void maxAttempts(int value) {
        this.maxAttempts = Limits.atLeastOne(value, "maxAttempts");
    }

    public void workerCount(int value) {
        this.workerCount = Limits.atLeastOne(value, "workerCount");
    }

    public void hotQueueCapacity(int value) {
        this.hotQueueCapacity = Limits.atLeastOne(value, "hotQueueCapacity");
    }

    public void coldQueueCapacity(int value) {
        this.coldQueueCapacity = Limits.atLeastOne(value, "coldQueueCapacity");
    }

    public void drainTimeoutMs(long value) {
        this.drainTimeoutMs = Limits.notNegative(value, "drainTimeoutMs");
    }

    public void interceptor(EventInterceptor value) {
        interceptors.add(Objects.requireNonNull(value, "interceptor"));
    }

    public void interceptors(List<EventInterceptor> values) {
        Objects.requireNonNull(values, "interceptors").forEach(this::interceptor);
    }

    public void completionListener(CompletionListener value) {
        completionListeners.add(Objects.requireNonNull(value, "completionListener"));
    }

    public void contextPropagator(ContextPropagator value) {
        contextPropagators.add(Objects.requireNonNull(value, "contextPropagator"));
    }

    public void lane(String eventType, LanePolicy policy) {
        Objects.requireNonNull(eventType, "eventType");
        Objects.requireNonNull(policy, "policy");
        if (lanes.putIfAbsent(eventType, policy) != null) {
            throw new IllegalStateException("Event type " + eventType + " has a lane already");
        }
    }

    /** What brings payloads up to the version of their type. */
    public void versions(Versions value) {
        this.versions = Objects.requireNonNull(value, "versions");
    }

    /** What reads payloads; none leaves that to the default codec of the moment. */
    public void jsonCodec(JsonCodec value) {
        this.jsonCodec = Objects.requireNonNull(value, "jsonCodec");
    }

    public void clock(Clock value) {
        this.clock = Objects.requireNonNull(value, "clock");
    }

    public void threadFactory(ThreadFactory value) {
        this.threadFactory = Objects.requireNonNull(value, "threadFactory");
    }

    public void lease(Lease value) {
        this.lease = Objects.requireNonNull(value, "lease");
    }

    /** After how long events go back to a shared store if no worker comes for them. */
    public void longestStandstill(Duration value) {
        this.longestStandstill = Objects.requireNonNull(value, "longestStandstill");
    }

    /** How long events without a listener here are left to other nodes. */
    public void unroutableGrace(Duration value) {
        Limits.notNegative(value, "unroutableGrace");
        this.unroutableGrace = value.compareTo(LONGEST_GRACE) > 0 ? LONGEST_GRACE : value;
    }

    /** Returns that grace; none in strict order, where no event may be passed over. */
    Duration unroutableGrace() {
        return strictOrder ? Duration.ZERO : unroutableGrace;
    }

    /** Delivers events of one key in order. */
    public void ordering(Ordering value) {
        this.ordering = Objects.requireNonNull(value, "ordering");
    }

    /** Returns the order of events of one key, or {@code null} if they have none. */
    public Ordering ordering() {
        return ordering;
    }

    /** Returns which events keep their order. */
    public OrderKeys orderKeys() {
        return ordering == null
                ? OrderKeys.NONE
                : new OrderKeys(ordering.exceptions(), ordering.subscriptionExceptions());
    }

    KeySettings keySettings() {
        return new KeySettings(ordering.onExhausted() == Ordering.OnExhausted.PARK, keySweeps);
    }

    /** When all keys are looked at: as often as the poller looks. */
    public void keySweeps(PollSettings value) {
        this.keySweeps = value;
    }

    /** Keeps every event behind those that came before it. */
    public void strictOrder() {
        this.strictOrder = true;
    }

    /** Lets the store delete events the moment they are done, if it can. */
    public void deleteDone() {
        this.deleteDone = true;
    }

    public boolean hasLanes() {
        return !lanes.isEmpty();
    }

    /** Returns what captures the context of writers and restores it around listeners. */
    public Contexts contexts() {
        return new Contexts(contextPropagators);
    }
}
