package io.outbox.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.outbox.model.EventCount;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Gauges of how many events are in the store and not finished: all, by status, and by event type and status. The status is
 * {@code pending} or {@code in_process}. Thread-safe.
 *
 * <p>Their values come from a query, whose answer each of the three keeps for its time to live; while the query fails,
 * they are NaN. An event type has gauges from the start if it is given, else once it has been counted.
 */
public final class OutboxEventGauges implements AutoCloseable {

    private static final String STATUS = "status";
    private static final Map<String, ToDoubleFunction<EventCount>> STATUSES =
            Map.of("pending", EventCount::pending, "in_process", EventCount::inProcess);

    private final MeterRegistry registry;
    private final String prefix;
    private final Queue<Meter> meters = new ConcurrentLinkedQueue<>();
    private final Set<String> eventTypes = ConcurrentHashMap.newKeySet();
    private final CachedCounts byType;

    /**
     * Creates the gauges.
     *
     * @param namePrefix what the names begin with, without the dot that follows
     * @param counts asks for the current numbers
     * @param ttls how long an answer is kept: for all events, by status, and by event type and status
     * @param eventTypes the event types that have gauges from the start
     */
    public OutboxEventGauges(
            MeterRegistry registry,
            String namePrefix,
            Supplier<List<EventCount>> counts,
            List<Duration> ttls,
            Collection<String> eventTypes) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.prefix = Objects.requireNonNull(namePrefix, "namePrefix");
        Objects.requireNonNull(counts, "counts");
        if (ttls.size() != 3) {
            throw new IllegalArgumentException("ttls must have 3 values: " + ttls);
        }
        CachedCounts all = new CachedCounts(counts, ttls.get(0));
        CachedCounts byStatus = new CachedCounts(counts, ttls.get(1));
        this.byType = new CachedCounts(counts, ttls.get(2));
        gauge("events", "Events that are not finished", Tags.empty(), () -> total(all));
        STATUSES.forEach((status, number) -> gauge(
                "events.by.status",
                "Events that are not finished, by status",
                Tags.of(STATUS, status),
                () -> byStatus.sum(number)));
        eventTypes.forEach(this::addType);
    }

    private void addType(String eventType) {
        if (eventTypes.add(eventType)) {
            STATUSES.forEach((status, number) -> gauge(
                    "events.by.event.type.and.status",
                    "Events of a type that are not finished, by status",
                    Tags.of("event.type", eventType, STATUS, status),
                    () -> count(eventType, number)));
        }
    }

    private double total(CachedCounts all) {
        all.get().keySet().forEach(this::addType);
        return all.sum(count -> count.pending() + count.inProcess());
    }

    private double count(String eventType, ToDoubleFunction<EventCount> number) {
        Map<String, EventCount> counts = byType.get();
        counts.keySet().forEach(this::addType);
        EventCount count = counts.get(eventType);
        return count == null ? 0 : number.applyAsDouble(count);
    }

    private void gauge(String name, String description, Tags tags, Supplier<Number> value) {
        meters.add(Gauge.builder(prefix + "." + name, value)
                .description(description)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    /** Removes the gauges from the registry. */
    @Override
    public void close() {
        for (Meter meter = meters.poll(); meter != null; meter = meters.poll()) {
            registry.remove(meter);
            meter.close();
        }
    }

    /** The answer to the query, asked again by the first who needs it after it has become too old. */
    private static final class CachedCounts {

        private final Supplier<List<EventCount>> counts;
        private final long ttlNanos;
        private Map<String, EventCount> answer;
        private long answeredAt;

        CachedCounts(Supplier<List<EventCount>> counts, Duration ttl) {
            this.counts = counts;
            this.ttlNanos = ttl.toNanos();
        }

        synchronized Map<String, EventCount> get() {
            if (answer == null || System.nanoTime() - answeredAt >= ttlNanos) {
                Map<String, EventCount> current = new HashMap<>();
                counts.get().forEach(count -> current.merge(count.eventType(), count, CachedCounts::add));
                answer = current;
                answeredAt = System.nanoTime();
            }
            return answer;
        }

        private static EventCount add(EventCount a, EventCount b) {
            return new EventCount(a.eventType(), a.pending() + b.pending(), a.inProcess() + b.inProcess());
        }

        double sum(ToDoubleFunction<EventCount> number) {
            return get().values().stream().mapToDouble(number).sum();
        }
    }
}
