package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.ledger.Delivery;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.History;
import io.outbox.soak.ledger.WrittenEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Holds deliveries against the order of keys. No fault excuses that an event comes before the one that was committed
 * before it is finished. That two events of a key are with listeners at the same time, a node may have to answer for
 * that had the first for longer than its lease; see {@link Excuses}.
 */
final class KeyOrder {

    private final History history;
    private final List<Fault> faults;
    private final Excuses excuses;
    private final Map<String, List<WrittenEvent>> keys = new TreeMap<>();
    /** When all that was committed before an event of its key was finished; nothing for the first. */
    private final Map<String, Instant> finishedBefore = new HashMap<>();

    /** @param stored the ids of the events that are in the table */
    KeyOrder(Evidence evidence, Set<String> stored, Excuses excuses) {
        this.history = evidence.history();
        this.faults = evidence.faults();
        this.excuses = excuses;
        history.written().stream()
                .filter(event -> event.place() != null && stored.contains(event.eventId()))
                .sorted(Comparator.comparingLong(event -> event.place().number()))
                .forEach(event -> keys.computeIfAbsent(event.place().key(), key -> new ArrayList<>())
                        .add(event));
        keys.values().forEach(this::finish);
    }

    private void finish(List<WrittenEvent> events) {
        Instant finished = Instant.MIN;
        for (WrittenEvent event : events) {
            finishedBefore.put(event.eventId(), finished);
            finished = later(finished, finishedAt(event));
        }
    }

    /** An event that fails for good blocks its key until an operator skips it. */
    private Instant finishedAt(WrittenEvent event) {
        Stream<Instant> done = history.deliveries(event.eventId()).stream()
                .filter(delivery -> delivery.answer() == Answer.DONE)
                .map(Delivery::end);
        return Stream.concat(done, history.skippedAt(event.eventId()).stream())
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
    }

    /** Returns how many events have a place. */
    int events() {
        return finishedBefore.size();
    }

    /**
     * Returns from when on an event could be delivered: when it was due, and all before it of its key were finished.
     */
    Instant deliverableAt(WrittenEvent event) {
        return later(event.dueAt(), finishedBefore.getOrDefault(event.eventId(), Instant.MIN));
    }

    /**
     * Returns whether a row is that of an event, or of one of its key that was committed before and cannot be passed
     * over.
     */
    boolean isAhead(String row, String eventId) {
        if (row.equals(eventId)) {
            return true;
        }
        if (!finishedBefore.containsKey(row) || !finishedBefore.containsKey(eventId)) {
            return false;
        }
        Keyed other = history.event(row).place();
        Keyed own = history.event(eventId).place();
        return other.key().equals(own.key()) && other.number() < own.number();
    }

    /** Reports events that came too early. */
    void outOfOrder(BiConsumer<Instant, Delivery> finding) {
        keys.values()
                .forEach(events -> events.forEach(event -> {
                    List<Delivery> deliveries = history.deliveries(event.eventId());
                    Instant before = finishedBefore.get(event.eventId());
                    if (!deliveries.isEmpty() && deliveries.get(0).begin().isBefore(before)) {
                        finding.accept(
                                event.dueAt() == null ? deliveries.get(0).begin() : event.dueAt(), deliveries.get(0));
                    }
                }));
    }

    /** Reports deliveries that began while another event of their key was with a listener, if nothing explains that. */
    void atTheSameTime(BiConsumer<Instant, Delivery> finding) {
        keys.values().forEach(events -> {
            List<Delivery> running = new ArrayList<>();
            events.stream()
                    .flatMap(event -> history.deliveries(event.eventId()).stream())
                    .sorted(Comparator.comparing(Delivery::begin))
                    .forEach(next -> {
                        running.removeIf(earlier -> !end(earlier).isAfter(next.begin()));
                        running.stream()
                                .filter(earlier -> !isExplained(earlier, next))
                                .findFirst()
                                .ifPresent(earlier -> finding.accept(earlier.begin(), next));
                        running.add(next);
                    });
        });
    }

    /** A listener that never answered has ended with its process. */
    private Instant end(Delivery delivery) {
        if (delivery.end() != null) {
            return delivery.end();
        }
        return faults.stream()
                .filter(fault ->
                        fault.kind() == FaultKind.KILLED && fault.target().equals(delivery.node()))
                .map(Fault::begin)
                .findFirst()
                .orElse(Instant.MAX);
    }

    /**
     * An event comes again whose row nobody could write, while its node is busy with what follows: that is no other
     * fault.
     */
    private boolean isExplained(Delivery earlier, Delivery next) {
        return excuses.explain(earlier, next).isPresent() || excuses.isRowLocked(earlier, next);
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
