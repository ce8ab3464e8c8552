package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.spi.TransactionEnd;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What the current test has written, in the order of writing, and what has become of it. Thread-safe. */
final class EventRecord {

    private final Map<String, WrittenEvent> events = new LinkedHashMap<>();
    private boolean begun;

    /** An outbox is recorded here. */
    synchronized void begin() {
        begun = true;
    }

    /** Returns whether there is an outbox of which anything could be recorded. */
    synchronized boolean hasBegun() {
        return begun;
    }

    synchronized void clear() {
        events.clear();
    }

    synchronized List<WrittenEvent> events() {
        return List.copyOf(events.values());
    }

    synchronized boolean contains(String eventId) {
        return events.containsKey(eventId);
    }

    synchronized void written(List<EventEnvelope> written) {
        written.forEach(event -> events.put(event.eventId(), WrittenEvent.of(event)));
    }

    /** What was rolled back was never written; of what nobody knows the end, the outcome will tell. */
    synchronized void ended(List<EventEnvelope> written, TransactionEnd end) {
        for (EventEnvelope event : written) {
            switch (end) {
                case COMMITTED -> change(event.eventId(), WrittenEvent::whenCommitted);
                case ROLLED_BACK -> events.remove(event.eventId());
                case UNKNOWN -> {}
            }
        }
    }

    /** Takes down outcomes, each if the store took it. */
    synchronized void delivered(List<Outcome> outcomes, Map<String, EventStatus> results) {
        for (Outcome outcome : outcomes) {
            EventStatus result = results.get(outcome.eventId());
            if (result != null) {
                change(outcome.eventId(), event -> event.whenCommitted().after(outcome, result));
            }
        }
    }

    synchronized void replayed(Collection<String> eventIds, Instant at) {
        for (String eventId : eventIds) {
            change(eventId, event -> event.status() == EventStatus.DEAD ? event.replayed(at) : event);
        }
    }

    private void change(String eventId, UnaryOperator<WrittenEvent> change) {
        events.computeIfPresent(eventId, (id, event) -> change.apply(event));
    }
}
