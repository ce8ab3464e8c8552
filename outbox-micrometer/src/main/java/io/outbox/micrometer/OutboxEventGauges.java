package io.outbox.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.outbox.model.EventCount;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Gauges of how many events are in the store and not finished: all, by status, and by event type and status. The status
 * is {@code pending} or {@code in_process}. Thread-safe.
 *
 * <p>Their values come from a query, whose answer each of the three keeps for its time to live; when the query fails,
 * they are NaN for as long. An event type has gauges from the start if it is given, else once it has been counted.
 */
public final class OutboxEventGauges implements AutoCloseable {

    private static final String STATUS = "status";
    private static final Map<String, ToDoubleFunction<EventCount>> STATUSES =
            Map.of("pending", EventCount::pending, "in_process", EventCount::inProcess);

    private final Meters meters;
    private final Set<String> eventTypes = ConcurrentHashMap.newKeySet();
    private final Cached<Map<String, EventCount>> byType;

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
        this(registry, namePrefix, Tags.empty(), counts, ttls, eventTypes);
    }

    /**
     * Creates the gauges with tags that tell them from those of another outbox with the same prefix.
     *
     * @param namePrefix what the names begin with, without the dot that follows
     * @param tags what every gauge has in addition to its own tags
     * @param counts asks for the current numbers
     * @param ttls how long an answer is kept: for all events, by status, and by event type and status
     * @param eventTypes the event types that have gauges from the start
     */
    public OutboxEventGauges(
            MeterRegistry registry,
            String namePrefix,
            Iterable<Tag> tags,
            Supplier<List<EventCount>> counts,
            List<Duration> ttls,
            Collection<String> eventTypes) {
        this.meters = new Meters(registry, namePrefix, tags);
        Objects.requireNonNull(counts, "counts");
        if (ttls.size() != 3) {
            throw new IllegalArgumentException("ttls must have 3 values: " + ttls);
        }
        Supplier<Map<String, EventCount>> query = () -> byType(counts.get());
        Cached<Map<String, EventCount>> all = new Cached<>(query, ttls.get(0));
        Cached<Map<String, EventCount>> byStatus = new Cached<>(query, ttls.get(1));
        this.byType = new Cached<>(query, ttls.get(2));
        meters.gauge("events", "Events that are not finished", () -> total(all.get()));
        STATUSES.forEach((status, number) -> meters.gauge(
                "events.by.status",
                "Events that are not finished, by status",
                () -> sum(byStatus.get(), number),
                STATUS,
                status));
        eventTypes.forEach(this::addType);
    }

    private void addType(String eventType) {
        if (eventTypes.add(eventType)) {
            STATUSES.forEach((status, number) -> meters.gauge(
                    "events.by.event.type.and.status",
                    "Events of a type that are not finished, by status",
                    () -> count(eventType, number),
                    "event.type",
                    eventType,
                    STATUS,
                    status));
        }
    }

    private double total(Map<String, EventCount> all) {
        all.keySet().forEach(this::addType);
        return sum(all, count -> count.pending() + count.inProcess());
    }

    private double count(String eventType, ToDoubleFunction<EventCount> number) {
        Map<String, EventCount> counts = byType.get();
        counts.keySet().forEach(this::addType);
        EventCount count = counts.get(eventType);
        return count == null ? 0 : number.applyAsDouble(count);
    }

    /** Removes the gauges from the registry. */
    @Override
    public void close() {
        meters.close();
    }

    private static Map<String, EventCount> byType(List<EventCount> counts) {
        Map<String, EventCount> byType = new HashMap<>();
        counts.forEach(count -> byType.merge(count.eventType(), count, OutboxEventGauges::add));
        return byType;
    }

    private static EventCount add(EventCount a, EventCount b) {
        return new EventCount(a.eventType(), a.pending() + b.pending(), a.inProcess() + b.inProcess());
    }

    private static double sum(Map<String, EventCount> counts, ToDoubleFunction<EventCount> number) {
        return counts.values().stream().mapToDouble(number).sum();
    }
}
