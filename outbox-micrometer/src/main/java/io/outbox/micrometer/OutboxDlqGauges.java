package io.outbox.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Gauges of how many dead letters there are: all, by status, and by event type and status. The status is {@code moved},
 * {@code in_process} or {@code to_retry}; letters that are resolved count among all. Thread-safe.
 *
 * <p>Their values come from a query, whose answer each of the three keeps for its time to live; when the query fails,
 * they are NaN for as long. An event type has gauges from the start if it is given, else once it has been counted.
 */
public final class OutboxDlqGauges implements AutoCloseable {

    private static final String STATUS = "status";
    private static final List<DlqStatus> STATUSES = List.of(DlqStatus.MOVED, DlqStatus.IN_PROCESS, DlqStatus.TO_RETRY);

    private final Meters meters;
    private final Set<String> eventTypes = ConcurrentHashMap.newKeySet();
    private final Cached<List<DeadLetterCount>> byType;

    /**
     * Creates the gauges.
     *
     * @param namePrefix what the names begin with, without the dot that follows
     * @param counts asks for the current numbers
     * @param ttls how long an answer is kept: for all letters, by status, and by event type and status
     * @param eventTypes the event types that have gauges from the start
     */
    public OutboxDlqGauges(
            MeterRegistry registry,
            String namePrefix,
            Supplier<List<DeadLetterCount>> counts,
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
     * @param ttls how long an answer is kept: for all letters, by status, and by event type and status
     * @param eventTypes the event types that have gauges from the start
     */
    public OutboxDlqGauges(
            MeterRegistry registry,
            String namePrefix,
            Iterable<Tag> tags,
            Supplier<List<DeadLetterCount>> counts,
            List<Duration> ttls,
            Collection<String> eventTypes) {
        this.meters = new Meters(registry, namePrefix, tags);
        Objects.requireNonNull(counts, "counts");
        if (ttls.size() != 3) {
            throw new IllegalArgumentException("ttls must have 3 values: " + ttls);
        }
        Cached<List<DeadLetterCount>> all = new Cached<>(counts, ttls.get(0));
        Cached<List<DeadLetterCount>> byStatus = new Cached<>(counts, ttls.get(1));
        this.byType = new Cached<>(counts, ttls.get(2));
        meters.gauge("dlq.events", "Dead letters", () -> sum(all.get(), count -> true));
        STATUSES.forEach(status -> meters.gauge(
                "dlq.events.by.status",
                "Dead letters by status",
                () -> sum(byStatus.get(), count -> count.status() == status),
                STATUS,
                name(status)));
        eventTypes.forEach(this::addType);
    }

    private static String name(DlqStatus status) {
        return status.name().toLowerCase(Locale.ROOT);
    }

    private void addType(String eventType) {
        if (eventTypes.add(eventType)) {
            STATUSES.forEach(status -> meters.gauge(
                    "dlq.events.by.event.type.and.status",
                    "Dead letters of a type by status",
                    () -> sum(
                            byType.get(),
                            count -> count.status() == status && eventType.equals(String.valueOf(count.eventType()))),
                    "event.type",
                    eventType,
                    STATUS,
                    name(status)));
        }
    }

    private double sum(List<DeadLetterCount> counts, Predicate<DeadLetterCount> which) {
        counts.forEach(count -> addType(String.valueOf(count.eventType())));
        return counts.stream().filter(which).mapToDouble(DeadLetterCount::count).sum();
    }

    /** Removes the gauges from the registry. */
    @Override
    public void close() {
        meters.close();
    }
}
