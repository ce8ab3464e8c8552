package io.outbox.spring.boot.internal.publishing;

import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A writer that refuses events which nobody would receive, so that the mistake shows where it is made. */
public final class KnownTypesWriter implements OutboxWriter {

    private final OutboxWriter writer;
    private final ListenerRegistry listeners;
    private final BooleanSupplier allAreKnown;

    /**
     * Creates the writer.
     *
     * @param allAreKnown whether the registry has every listener, asked at each write: what an outbox of the application's
     *     own making does is not known here
     */
    public KnownTypesWriter(OutboxWriter writer, ListenerRegistry listeners, BooleanSupplier allAreKnown) {
        this.writer = writer;
        this.listeners = listeners;
        this.allAreKnown = allAreKnown;
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
        if (allAreKnown.getAsBoolean() && listeners.listenerFor(event.aggregateType(), event.eventType()) == null) {
            throw new IllegalStateException("Event type '" + event.eventType() + "' has no destination: set "
                    + PublisherKeys.ofEvent(event.eventType(), "topic")
                    + ", or register a listener for aggregate type '" + event.aggregateType() + "' and this event type"
                    + " (@OutboxListener)");
        }
        return event;
    }
}
