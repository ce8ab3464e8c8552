package io.outbox.spring.boot.publishing;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.spring.boot.internal.settings.UnknownKeys;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** A writer that refuses events which nobody would receive, so that the mistake shows where it is made. */
final class KnownTypesWriter implements OutboxWriter {

    private final OutboxWriter writer;
    private final Supplier<Destinations> destinations;

    KnownTypesWriter(OutboxWriter writer, Supplier<Destinations> destinations) {
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
        Destinations known = destinations.get();
        if (!known.has(event.aggregateType(), event.eventType())) {
            throw new IllegalStateException("Event type '" + event.eventType() + "'" + aggregate(event)
                    + " has no destination: " + listenedTo(event.eventType(), known.listenedTo())
                    + " Add a listener for it (@OutboxListener), or send it to a broker by setting "
                    + PublisherKeys.ofEvent(event.eventType(), "topic")
                    + ". If another application has its listener, name it in outbox.subscriptions, or set"
                    + " outbox.mode=writer-only if this one delivers nothing");
        }
        return event;
    }

    private static String listenedTo(String eventType, Set<String> types) {
        if (types.contains(eventType)) {
            return "its listeners are for other aggregate types.";
        }
        String question = UnknownKeys.didYouMean(eventType, types);
        return "there are listeners for " + types + " only" + (question.isEmpty() ? "." : question);
    }

    private static String aggregate(EventEnvelope event) {
        return event.aggregateType().equals(AggregateType.GLOBAL.name())
                ? ""
                : " of aggregate type '" + event.aggregateType() + "'";
    }
}
