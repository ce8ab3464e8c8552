package io.outbox.redis;

import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Events that one script stores, as its arguments. */
record NewEvents(List<NewEvent> events) {

    int size() {
        return events.size();
    }

    /** Returns whether one of them keeps its order, so that each has one argument more. */
    boolean areKeyed() {
        return events.stream().anyMatch(NewEvent::isKeyed);
    }

    List<String> arguments() {
        boolean areKeyed = areKeyed();
        List<String> args = new ArrayList<>(events.size() * 7);
        for (NewEvent event : events) {
            EventEnvelope envelope = event.event();
            Instant due = envelope.availableAt() != null ? envelope.availableAt() : envelope.occurredAt();
            args.add(envelope.eventId());
            args.add(Micros.sortable(envelope.occurredAt()));
            args.add(Micros.text(due));
            args.add(envelope.eventType());
            args.add(event.ownerId() == null ? "" : event.ownerId());
            args.add(EventBody.of(envelope).encode());
            if (areKeyed) {
                args.add(event.orderKey() == null ? "" : event.orderKey());
            }
        }
        return args;
    }
}
