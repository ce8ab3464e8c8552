package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one outbox in a Micrometer registry. Thread-safe.
 *
 * <p>All names begin with the prefix, {@value #DEFAULT_PREFIX} by default. Each outbox of a registry needs its own
 * prefix, or a tag that tells it from the others: a second exporter with the same ones is refused. {@link #close()}
 * removes the meters.
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

    private final Meters meters;
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
    private final AtomicLong hotDepth;
    private final AtomicLong coldDepth;
    private final AtomicLong oldestLagMs;
    private final ConcurrentMap<String, AtomicLong> oldestLagMsByType = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, AtomicLong> unavailableRoutes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> processed = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> failed = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> refused = new ConcurrentHashMap<>();
    private final DeadLetterMeters deadLetters;
    /** Created with the first report, so that an outbox without order by key has none. */
    private volatile @Nullable KeyedMeters keyed;

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
        this(registry, namePrefix, Tags.empty());
    }

    /**
     * Creates the meters with tags that tell them from those of another outbox with the same prefix. All outboxes of a
     * prefix need the same tag keys, as Prometheus demands of all meters of a name.
     *
     * @param namePrefix what the names begin with, without the dot that follows
     * @param tags what every meter has in addition to its own tags
     * @throws IllegalStateException if the registry has an outbox with this prefix that the tags do not tell from this
     * one
     */
    public MicrometerMetricsExporter(MeterRegistry registry, String namePrefix, Iterable<Tag> tags) {
        meters = new Meters(registry, namePrefix, tags);
        if (namePrefix.isBlank() || namePrefix.endsWith(".")) {
            throw new IllegalArgumentException(
                    "namePrefix must not be blank and must not end with a dot: '" + namePrefix + "'");
        }
        if (meters.hasCounter("enqueue.hot")) {
            throw new IllegalStateException("The registry has meters of an outbox with the prefix '" + namePrefix
                    + "' already, and " + Tags.of(tags)
                    + " do not distinguish the two: give each outbox its own prefix, or a tag with"
                    + " the same key and another value, and close the exporter of an outbox that you close");
        }
        deadLetters = new DeadLetterMeters(meters);
        hotEnqueued = meters.counter("enqueue.hot", "Events enqueued via the hot path");
        hotDropped = meters.counter("enqueue.hot.dropped", "Events that found the hot queue full");
        hotSkippedDelayed = meters.counter("enqueue.hot.skipped.delayed", "Delayed events left to the poller");
        coldEnqueued = meters.counter("enqueue.cold", "Events enqueued by the poller");
        success = meters.counter("dispatch.success", "Events delivered");
        failure = meters.counter("dispatch.failure", "Failed attempts that will be repeated");
        dead = meters.counter("dispatch.dead", "Events moved to DEAD");
        deferred = meters.counter("dispatch.deferred", "Events that their listener asked to see again later");
        fenced = meters.counter("claims.fenced", "Outcomes refused because the event had another owner or had ended");
        purged = meters.counter("purged", "Finished events deleted");
        recovered = lifecycle("recovered");
        cleaned = lifecycle("cleaned");
        hintsSent = meters.counter("wakeup.sent", "Messages with hints for other nodes");
        hintsDropped = meters.counter("wakeup.dropped", "Messages with hints that could not be sent");
        hintsHeard = meters.counter("wakeup.heard", "Messages with hints that arrived");
        completionBatchSize = meters.summary("completion.batch.size", "Outcomes written together", "events");
        hotDepth = meters.level("queue.hot.depth", "Events in the hot queue");
        coldDepth = meters.level("queue.cold.depth", "Events in the cold queue");
        oldestLagMs = meters.level("lag.oldest.ms", "Age of the oldest event that is due, in milliseconds");
    }

    private Counter lifecycle(String type) {
        return meters.counter(
                "events.by.type.rate",
                "Events that were taken over from a dead node, or deleted after delivery",
                "type",
                type);
    }

    private Counter outcomes(String eventType, String status) {
        return meters.counter(
                "events.rate", "Events that ended, delivered or DEAD", EVENT_TYPE, eventType, "status", status);
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
        return meters.level(
                "lag.oldest.by.type.ms",
                "Age of the oldest event of a type that is due, in milliseconds",
                EVENT_TYPE,
                eventType);
    }

    @Override
    public void recordDispatchLatency(String eventType, long nanos) {
        dispatchLatency
                .computeIfAbsent(
                        eventType,
                        type -> meters.timer(
                                "dispatch.latency", "Time between entering a queue and the listener", EVENT_TYPE, type))
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void recordListenerDuration(String eventType, long nanos) {
        listenerDuration
                .computeIfAbsent(
                        eventType,
                        type -> meters.timer("listener.duration", "Time spent in listeners", EVENT_TYPE, type))
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
    public void incrementAdminRefused(String reason) {
        refused.computeIfAbsent(
                        reason,
                        each -> meters.counter(
                                "admin.refused", "Requests that the administration refused", "reason", each))
                .increment();
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
                    known = new KeyedMeters(meters);
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

    private AtomicLong routeGauge(String eventType) {
        return meters.level(
                "route.unavailable",
                "Whether the target of an event type cannot be reached, so that its events wait: 1 or 0",
                EVENT_TYPE,
                eventType);
    }

    /**
     * Adds a gauge of the DEAD events in the store, whose number the supplier asks for: at most once in 60 seconds, and
     * only if the gauge is read. When it throws, the gauge is NaN for as long.
     */
    public void gaugeDead(LongSupplier deadEvents) {
        Objects.requireNonNull(deadEvents, "deadEvents");
        meters.gauge(
                "events.dead",
                "Events that are DEAD and in the store",
                new Cached<Number>(deadEvents::getAsLong, DEAD_TTL));
    }

    /**
     * Adds gauges of blocked keys: how many there are, how many events wait behind those that block them, and since
     * when the first is blocked. The supplier is asked at most once in 60 seconds, and only if a gauge is read. When it
     * throws, they are NaN for as long.
     */
    public void gaugeBlocked(Supplier<BlockedKey.Figures> figures) {
        Objects.requireNonNull(figures, "figures");
        Supplier<BlockedKey.Figures> asked = new Cached<>(figures, BLOCKED_TTL);
        meters.gauge(
                "keyed.blocked",
                "Keys blocked by an event that failed for good",
                () -> asked.get().keys());
        meters.gauge(
                "keyed.waiting",
                "Events that wait behind one that blocks their key",
                () -> asked.get().waiting());
        meters.gauge(
                "keyed.blocked.oldest.ms",
                "For how long the first of the blocked keys has been blocked, in milliseconds",
                () -> age(asked.get().oldestSince()));
    }

    private static long age(@Nullable Instant since) {
        return since == null
                ? 0
                : Math.max(0, Duration.between(since, Instant.now()).toMillis());
    }

    /**
     * Adds gauges of what the store reports about itself, named {@code database.} and its {@link StoreFigure.Kind}. The
     * supplier is asked at most once in 60 seconds, and only if a gauge is read. What the store does not tell then is
     * NaN.
     *
     * @param kinds which gauges to add
     */
    public void gaugeStore(Set<StoreFigure.Kind> kinds, Supplier<List<StoreFigure>> figures) {
        Objects.requireNonNull(figures, "figures");
        Supplier<List<StoreFigure>> asked = new Cached<>(figures, STORE_TTL);
        for (StoreFigure.Kind kind : kinds) {
            meters.gauge(
                    "database." + kind.meterName(),
                    "What the database reports about itself; see the page on databases",
                    () -> asked.get().stream()
                            .filter(figure -> figure.kind() == kind)
                            .mapToDouble(StoreFigure::value)
                            .findFirst()
                            .orElse(Double.NaN));
        }
    }

    /** Removes the meters from the registry. */
    @Override
    public void close() {
        meters.close();
    }
}
