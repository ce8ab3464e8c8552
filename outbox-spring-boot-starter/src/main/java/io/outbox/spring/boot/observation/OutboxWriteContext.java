package io.outbox.spring.boot.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Map;

/** The context of an observed write of events. */
public final class OutboxWriteContext extends SenderContext<Map<String, String>> {

    private final List<EventEnvelope> events;

    OutboxWriteContext(List<EventEnvelope> events, Map<String, String> headers) {
        super(Map::put, Kind.PRODUCER);
        this.events = events;
        setCarrier(headers);
    }

    /** Returns the events that are written together; at least one. */
    public List<EventEnvelope> events() {
        return events;
    }
}
