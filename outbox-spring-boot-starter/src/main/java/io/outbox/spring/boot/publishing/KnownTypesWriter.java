package io.outbox.spring.boot.publishing;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.List;

/** A writer that refuses events which nobody would receive, so that the mistake shows where it is made. */
final class KnownTypesWriter implements OutboxWriter {

    private final OutboxWriter writer;
    private final Destinations destinations;

    KnownTypesWriter(OutboxWriter writer, Destinations destinations) {
        this.writer = writer;
        this.destinations = destinations;
    }

    @Override
    public String write(EventEnvelope event) {
        return writer.write(known(event));
    }

    @Override
    public List<String> writeAll(List<EventEnvelope> events) {
        events.forEach(this::known);
        return writer.writeAll(events);
    }

    private EventEnvelope known(EventEnvelope event) {
        if (!destinations.has(event.aggregateType(), event.eventType())) {
            throw new IllegalStateException("Event type '" + event.eventType() + "' has no destination: set "
                    + PublisherKeys.ofEvent(event.eventType(), "topic")
                    + ", or register a listener for this event type" + aggregate(event) + " (@OutboxListener)");
        }
        return event;
    }

    private static String aggregate(EventEnvelope event) {
        return event.aggregateType().equals(AggregateType.GLOBAL.name())
                ? ""
                : " and aggregate type '" + event.aggregateType() + "'";
    }
}
