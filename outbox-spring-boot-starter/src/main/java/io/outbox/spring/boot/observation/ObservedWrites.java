package io.outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
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

    private final ObservationRegistry registry;
    private final OutboxWriteConvention convention;

    /** @param convention that of the application, or {@code null} */
    ObservedWrites(ObservationRegistry registry, OutboxWriteConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (events.isEmpty()) {
            return events;
        }
        Map<String, String> headers = new LinkedHashMap<>();
        Observation.createNotStarted(
                        convention,
                        OutboxWriteConvention.DEFAULT,
                        () -> new OutboxWriteContext(events, headers),
                        registry)
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
