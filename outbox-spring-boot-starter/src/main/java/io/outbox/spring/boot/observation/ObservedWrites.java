package io.outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Observes writes, and stores with each event the headers that tracing adds to outgoing messages (W3C
 * {@code traceparent} and its like). Events that have such a header already keep it.
 */
final class ObservedWrites implements WriterHook {

    static final String NAME = "outbox.write";

    private final ObservationRegistry registry;

    ObservedWrites(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (events.isEmpty()) {
            return events;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        SenderContext<Map<String, String>> context = new SenderContext<>(Map::put, Kind.PRODUCER);
        context.setCarrier(headers);
        EventEnvelope first = events.get(0);
        Observation.createNotStarted(NAME, () -> context, registry)
                .contextualName(first.eventType() + " write")
                .lowCardinalityKeyValue("outbox.event.type", first.eventType())
                .highCardinalityKeyValue("outbox.batch.size", String.valueOf(events.size()))
                .start()
                .stop();
        return headers.isEmpty()
                ? events
                : events.stream().map(event -> with(headers, event)).toList();
    }

    private static EventEnvelope with(Map<String, String> headers, EventEnvelope event) {
        if (headers.keySet().stream().anyMatch(event.headers()::containsKey)) {
            return event;
        }
        EventEnvelope.Builder builder = event.toBuilder();
        headers.forEach(builder::header);
        return builder.build();
    }
}
