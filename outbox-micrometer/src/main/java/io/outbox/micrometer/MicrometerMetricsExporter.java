package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.outbox.model.BlockedKey;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.StoreFigure;
import io.outbox.spi.MetricsExporter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The meters of one outbox in a Micrometer registry. Thread-safe.
 *
 * <p>All names begin with the prefix, {@value #DEFAULT_PREFIX} by default. Each outbox of a registry needs a prefix of
 * its own: a second exporter with the same one is refused. {@link #close()} removes the meters.
 *
 * <p>The timers are plain Micrometer timers, so percentiles and histograms are turned on as for any other, by a
 * {@code MeterFilter} or, in Spring Boot, by {@code management.metrics.distribution.*}.
 */
public final class MicrometerMetricsExporter implements MetricsExporter, AutoCloseable {

    public static final String DEFAULT_PREFIX = "outbox";

    /** How long a count of DEAD events is kept. */
    static final Duration DEAD_TTL = Duration.ofSeconds(60);

    /** How long an answer of the store about itself is kept. */
    static final Duration STORE_TTL = Duration.ofSeconds(60);

    /** How long a count of blocked keys is kept. */
    static final Duration BLOCKED_TTL = Duration.ofSeconds(60);

    private static final String EVENT_TYPE = "event.type";

    private final MeterRegistry registry;
    private final String prefix;
    private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();
    private final Counter hotEnqueued;
    private final Counter hotDropped;
    private final Counter hotSkippedDelayed;
    private final Counter coldEnqueued;
    private final Counter success;
    private final Counter failure;
    private final Counter dead;
    private final Counter deferred;
    private final Counter fenced;
    private final Counter purged;
    private final Counter recovered;
    private final Counter cleaned;
    private final Counter hintsSent;
    private final Counter hintsDropped;
    private final Counter hintsHeard;
    private final ConcurrentMap<String, Timer> dispatchLatency = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> listenerDuration = new ConcurrentHashMap<>();
    private final DistributionSummary completionBatchSize;
    private final AtomicInteger hotDepth = new AtomicInteger();
    private final AtomicInteger coldDepth = new AtomicInteger();
    private final AtomicLong oldestLagMs = new AtomicLong();
    private final ConcurrentMap<String, AtomicLong> oldestLagMsByType = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicInteger> unavailableRoutes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> processed = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> failed = new ConcurrentHashMap<>();
    private final DeadLetterMeters deadLetters;
    /** Created with the first report, so that an outbox without order by key has none. */
    private volatile KeyedMeters keyed;

    /** Creates the meters with the prefix {@value #DEFAULT_PREFIX}. */
    public MicrometerMetricsExporter(MeterRegistry registry) {
        this(registry, DEFAULT_PREFIX);
    }

    /**
     * Creates the meters.
     *
     * @param namePrefix what the names begin with, without the dot that follows
     * @throws IllegalStateException if the registry has an outbox with this prefix already
     */
    public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.prefix = Objects.requireNonNull(namePrefix, "namePrefix");
        if (prefix.isBlank() || prefix.endsWith(".")) {
            throw new IllegalArgumentException(
                    "namePrefix must not be blank and must not end with a dot: '" + prefix + "'");
        }
        if (registry.find(prefix + ".enqueue.hot").counter() != null) {
            throw new IllegalStateException("The registry has meters of an outbox with the prefix '" + prefix
                    + "' already: give each outbox its own prefix, and close the exporter of one that is gone");
        }
        deadLetters = new DeadLetterMeters(registry, prefix, meters);
        hotEnqueued = counter("enqueue.hot", "Events enqueued via the hot path");
        hotDropped = counter("enqueue.hot.dropped", "Events that found the hot queue full");
        hotSkippedDelayed = counter("enqueue.hot.skipped.delayed", "Delayed events left to the poller");
        coldEnqueued = counter("enqueue.cold", "Events enqueued by the poller");
        success = counter("dispatch.success", "Events delivered");
        failure = counter("dispatch.failure", "Failed attempts that will be repeated");
        dead = counter("dispatch.dead", "Events moved to DEAD");
        deferred = counter("dispatch.deferred", "Events that their listener asked to see again later");
        fenced = counter("claims.fenced", "Outcomes refused because the event had another owner or had ended");
        purged = counter("purged", "Finished events deleted");
        recovered = lifecycle("recovered");
        cleaned = lifecycle("cleaned");
        hintsSent = counter("wakeup.sent", "Messages with hints for other nodes");
        hintsDropped = counter("wakeup.dropped", "Messages with hints that could not be sent");
        hintsHeard = counter("wakeup.heard", "Messages with hints that arrived");
        completionBatchSize = keep(DistributionSummary.builder(prefix + ".completion.batch.size")
                .description("Outcomes written together")
                .baseUnit("events")
                .register(registry));
        gauge("queue.hot.depth", "Events in the hot queue", hotDepth, Tags.empty());
        gauge("queue.cold.depth", "Events in the cold queue", coldDepth, Tags.empty());
        gauge("lag.oldest.ms", "Age of the oldest event that is due, in milliseconds", oldestLagMs, Tags.empty());
    }

    private Counter counter(String name, String description) {
        return keep(
                Counter.builder(prefix + "." + name).description(description).register(registry));
    }

    private Counter lifecycle(String type) {
        return keep(Counter.builder(prefix + ".events.by.type.rate")
                .description("Events that were taken over from a dead node, or deleted after delivery")
                .tag("type", type)
                .register(registry));
    }

    private Counter outcomes(String eventType, String status) {
        return keep(Counter.builder(prefix + ".events.rate")
                .description("Events that ended, delivered or DEAD")
                .tag(EVENT_TYPE, eventType)
                .tag("status", status)
                .register(registry));
    }

    private Timer timer(String name, String description, String eventType) {
        return keep(Timer.builder(prefix + "." + name)
                .description(description)
                .tag(EVENT_TYPE, eventType)
                .register(registry));
    }

    private void gauge(String name, String description, Number value, Tags tags) {
        gauge(name, description, value::doubleValue, tags);
    }

    private void gauge(String name, String description, Supplier<Number> value, Tags tags) {
        keep(Gauge.builder(prefix + "." + name, value)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    private <M extends Meter> M keep(M meter) {
        meters.add(meter);
        return meter;
    }

    @Override
    public void incrementHotEnqueued() {
        hotEnqueued.increment();
    }

    @Override
    public void incrementHotDropped() {
        hotDropped.increment();
    }

    @Override
    public void incrementColdEnqueued() {
        coldEnqueued.increment();
    }

    @Override
    public void incrementDispatchSuccess() {
        success.increment();
    }

    @Override
    public void incrementDispatchFailure() {
        failure.increment();
    }

    @Override
    public void incrementDispatchDead() {
        dead.increment();
    }

    @Override
    public void incrementDispatchDeferred() {
        deferred.increment();
    }

    @Override
    public void incrementHotSkippedDelayed() {
        hotSkippedDelayed.increment();
    }

    @Override
    public void recordQueueDepths(int hotDepth, int coldDepth) {
        this.hotDepth.set(hotDepth);
        this.coldDepth.set(coldDepth);
    }

    @Override
    public void recordOldestLagMs(long lagMs) {
        oldestLagMs.set(lagMs);
    }

    @Override
    public void recordOldestLagByTypeMs(Map<String, Long> lagMs) {
        lagMs.keySet().forEach(type -> oldestLagMsByType.computeIfAbsent(type, this::lagGauge));
        oldestLagMsByType.forEach((type, lag) -> lag.set(lagMs.getOrDefault(type, 0L)));
    }

    private AtomicLong lagGauge(String eventType) {
        AtomicLong lag = new AtomicLong();
        gauge(
                "lag.oldest.by.type.ms",
                "Age of the oldest event of a type that is due, in milliseconds",
                lag,
                Tags.of(EVENT_TYPE, eventType));
        return lag;
    }

    @Override
    public void recordDispatchLatency(String eventType, long nanos) {
        dispatchLatency
                .computeIfAbsent(
                        eventType,
                        type -> timer("dispatch.latency", "Time between entering a queue and the listener", type))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void recordListenerDuration(String eventType, long nanos) {
        listenerDuration
                .computeIfAbsent(eventType, type -> timer("listener.duration", "Time spent in listeners", type))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void incrementFenced(int count) {
        fenced.increment(count);
    }

    @Override
    public void recordCompletionBatchSize(int size) {
        completionBatchSize.record(size);
    }

    @Override
    public void incrementPurged(long count) {
        purged.increment(count);
        cleaned.increment(count);
    }

    @Override
    public void incrementHintsSent() {
        hintsSent.increment();
    }

    @Override
    public void incrementHintsDropped() {
        hintsDropped.increment();
    }

    @Override
    public void incrementHintsHeard() {
        hintsHeard.increment();
    }

    @Override
    public void incrementRecovered(int count) {
        recovered.increment(count);
    }

    @Override
    public void recordOutcome(String eventType, EventStatus status) {
        if (status == EventStatus.DONE) {
            processed
                    .computeIfAbsent(eventType, type -> outcomes(type, "processed"))
                    .increment();
        } else if (status == EventStatus.DEAD) {
            failed.computeIfAbsent(eventType, type -> outcomes(type, "failed")).increment();
        }
    }

    @Override
    public void recordRouteUnavailable(String eventType, boolean unavailable) {
        unavailableRoutes.computeIfAbsent(eventType, this::routeGauge).set(unavailable ? 1 : 0);
    }

    private KeyedMeters keyed() {
        KeyedMeters known = keyed;
        if (known == null) {
            synchronized (meters) {
                known = keyed;
                if (known == null) {
                    known = new KeyedMeters(registry, prefix, meters);
                    keyed = known;
                }
            }
        }
        return known;
    }

    @Override
    public void incrementKeyedClaims(int taken, int empty) {
        keyed().taken.increment(taken);
        keyed().empty.increment(empty);
    }

    @Override
    public void incrementKeyedParked() {
        keyed().parked.increment();
    }

    @Override
    public void incrementKeyedResumed() {
        keyed().resumed.increment();
    }

    @Override
    public void incrementKeyedSkipped() {
        keyed().skipped.increment();
    }

    @Override
    public void incrementKeyedLate(int count) {
        keyed().late.increment(count);
    }

    @Override
    public void recordOldestKeyedLagMs(long lagMs) {
        keyed().oldestLagMs.set(lagMs);
    }

    @Override
    public void recordDeadLetters(String eventType, DlqStatus status, int count) {
        deadLetters.changed(eventType, status, count);
    }

    @Override
    public void incrementMovedToDlq(int attempted, int moved) {
        deadLetters.movedToDlq(attempted, moved);
    }

    @Override
    public void incrementReturnedToOutbox(int attempted, int returned) {
        deadLetters.returnedToOutbox(attempted, returned);
    }

    @Override
    public void incrementDeadLettersDeleted(int count) {
        deadLetters.deleted(count);
    }

    @Override
    public void recordDlqTransferToMs(long durationMs) {
        deadLetters.transferredTo(durationMs);
    }

    @Override
    public void recordDlqTransferFromMs(long durationMs) {
        deadLetters.transferredFrom(durationMs);
    }

    private AtomicInteger routeGauge(String eventType) {
        AtomicInteger unavailable = new AtomicInteger();
        gauge(
                "route.unavailable",
                "Whether the target of an event type cannot be reached, so that its events wait: 1 or 0",
                unavailable,
                Tags.of(EVENT_TYPE, eventType));
        return unavailable;
    }

    /**
     * Adds a gauge of the DEAD events in the store, whose number the supplier asks for: at most once in 60 seconds, and only
     * if the gauge is read. When it throws, the gauge is NaN for as long.
     */
    public void gaugeDead(LongSupplier deadEvents) {
        Objects.requireNonNull(deadEvents, "deadEvents");
        gauge(
                "events.dead",
                "Events that are DEAD and in the store",
                new Cached<Number>(deadEvents::getAsLong, DEAD_TTL),
                Tags.empty());
    }

    /**
     * Adds gauges of blocked keys: how many there are, how many events wait behind those that block them, and since when the
     * first is blocked. The supplier is asked at most once in 60 seconds, and only if a gauge is read. When it throws, they are
     * NaN for as long.
     */
    public void gaugeBlocked(Supplier<BlockedKey.Figures> figures) {
        Objects.requireNonNull(figures, "figures");
        Supplier<BlockedKey.Figures> asked = new Cached<>(figures, BLOCKED_TTL);
        gauge(
                "keyed.blocked",
                "Keys that an event blocks that failed for good",
                () -> asked.get().keys(),
                Tags.empty());
        gauge(
                "keyed.waiting",
                "Events that wait behind one that blocks their key",
                () -> asked.get().waiting(),
                Tags.empty());
        gauge(
                "keyed.blocked.oldest.ms",
                "For how long the first of the blocked keys has been blocked, in milliseconds",
                () -> age(asked.get().oldestSince()),
                Tags.empty());
    }

    private static long age(Instant since) {
        return since == null
                ? 0
                : Math.max(0, Duration.between(since, Instant.now()).toMillis());
    }

    /**
     * Adds gauges of what the store tells about itself, named {@code database.} and its {@link StoreFigure.Kind}. The supplier is asked
     * at most once in 60 seconds, and only if a gauge is read. What the store does not tell then is NaN.
     *
     * @param kinds which gauges to add
     */
    public void gaugeStore(Set<StoreFigure.Kind> kinds, Supplier<List<StoreFigure>> figures) {
        Objects.requireNonNull(figures, "figures");
        Supplier<List<StoreFigure>> asked = new Cached<>(figures, STORE_TTL);
        for (StoreFigure.Kind kind : kinds) {
            gauge(
                    "database." + kind.meterName(),
                    "What the database tells about itself; see the page on operations",
                    () -> asked.get().stream()
                            .filter(figure -> figure.kind() == kind)
                            .mapToDouble(StoreFigure::value)
                            .findFirst()
                            .orElse(Double.NaN),
                    Tags.empty());
        }
    }

    /** Removes the meters from the registry. */
    @Override
    public void close() {
        for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
            registry.remove(meter);
            meter.close();
        }
    }
}
