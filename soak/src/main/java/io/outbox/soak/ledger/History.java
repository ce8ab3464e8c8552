package io.outbox.soak.ledger;

import io.outbox.soak.ledger.Entry.Begun;
import io.outbox.soak.ledger.Entry.Ended;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.Entry.Skipped;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.Entry.Writing;
import io.outbox.soak.ledger.Entry.Written;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What all nodes together wrote and delivered. Nodes share a machine, so that their wall clocks are one. Filled by one
 * thread, then only read.
 */
public final class History {

    private final Map<String, WrittenEvent> written = new LinkedHashMap<>();
    private final Map<String, List<Delivery>> deliveries = new LinkedHashMap<>();
    private final Map<String, Instant> skipped = new HashMap<>();
    private int deliveryCount;

    /** Adds the entries of a node's ledger. */
    public void add(String node, List<Entry> entries) {
        Map<String, Writing> open = new HashMap<>();
        Map<String, Keyed> places = new HashMap<>();
        Map<Long, Begun> running = new HashMap<>();
        for (Entry entry : entries) {
            if (entry instanceof Writing writing) {
                open.put(writing.eventId(), writing);
            } else if (entry instanceof Keyed place) {
                places.put(place.eventId(), place);
            } else if (entry instanceof Written end) {
                put(open.remove(end.eventId()), end, node, places.get(end.eventId()));
            } else if (entry instanceof Skipped skip) {
                skipped.merge(skip.eventId(), skip.at(), (one, other) -> one.isBefore(other) ? one : other);
            } else if (entry instanceof Begun begun) {
                running.put(begun.delivery(), begun);
            } else if (entry instanceof Ended ended) {
                Begun begun = running.remove(ended.delivery());
                add(new Delivery(begun.eventId(), node, begun.at(), ended.at(), ended.answer()));
            }
        }
        open.values()
                .forEach(writing -> put(new WrittenEvent(
                        writing.eventId(),
                        writing.kind(),
                        node,
                        TransactionEnd.UNKNOWN,
                        null,
                        places.get(writing.eventId()))));
        running.values().forEach(begun -> add(new Delivery(begun.eventId(), node, begun.at(), null, null)));
    }

    /** Gives an event its place, if it was the store and not the writer that gave it a number. */
    public void place(Keyed place) {
        written.computeIfPresent(
                place.eventId(),
                (id, event) -> new WrittenEvent(id, event.kind(), event.node(), event.end(), event.dueAt(), place));
    }

    private void put(Writing writing, Written end, String node, Keyed place) {
        Instant dueAt = end.at().isAfter(writing.availableAt()) ? end.at() : writing.availableAt();
        put(new WrittenEvent(writing.eventId(), writing.kind(), node, end.end(), dueAt, place));
    }

    private void put(WrittenEvent event) {
        written.put(event.eventId(), event);
    }

    private void add(Delivery delivery) {
        deliveries.computeIfAbsent(delivery.eventId(), id -> new ArrayList<>()).add(delivery);
        deliveryCount++;
    }

    /** Returns the events that were written, by whichever end. */
    public Collection<WrittenEvent> written() {
        return written.values();
    }

    /** Returns an event, or {@code null} if no node wrote it. */
    public WrittenEvent event(String eventId) {
        return written.get(eventId);
    }

    /** Returns the ids of the events that came to a listener. */
    public Collection<String> delivered() {
        return deliveries.keySet();
    }

    /** Returns the deliveries of an event in the order in which they began. */
    public List<Delivery> deliveries(String eventId) {
        return deliveries.getOrDefault(eventId, List.of()).stream()
                .sorted(Comparator.comparing(Delivery::begin))
                .toList();
    }

    /** Returns when an operator first was about to skip the event; empty if none was. */
    public Optional<Instant> skippedAt(String eventId) {
        return Optional.ofNullable(skipped.get(eventId));
    }

    /** Returns how often a listener was called. */
    public int deliveryCount() {
        return deliveryCount;
    }
}
