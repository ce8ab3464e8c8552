package io.outbox.spring.boot;

import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import java.util.List;

/** A writer that refuses events which nobody would receive, so that the mistake shows where it is made. */
final class KnownTypesWriter implements OutboxWriter {

    private final OutboxWriter writer;
    private final ListenerRegistry listeners;

    KnownTypesWriter(OutboxWriter writer, ListenerRegistry listeners) {
        this.writer = writer;
        this.listeners = listeners;
    }

    @Override
    public String write(EventEnvelope event) {
        return writer.write(known(event));
    }

    @Override
    public String write(String eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    @Override
    public String write(EventType eventType, String payloadJson) {
        return write(EventEnvelope.ofJson(eventType, payloadJson));
    }

    @Override
    public List<String> writeAll(List<EventEnvelope> events) {
        events.forEach(this::known);
        return writer.writeAll(events);
    }

    private EventEnvelope known(EventEnvelope event) {
        if (listeners.listenerFor(event.aggregateType(), event.eventType()) == null) {
            throw new IllegalStateException("Event type '" + event.eventType() + "' has no destination: set "
                    + PublisherKeys.ofEvent(event.eventType(), "topic")
                    + ", or register a listener for aggregate type '" + event.aggregateType() + "' and this event type"
                    + " (@OutboxListener)");
        }
        return event;
    }
}
