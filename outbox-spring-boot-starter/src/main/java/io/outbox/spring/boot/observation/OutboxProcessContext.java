package io.outbox.spring.boot.observation;

import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.outbox.EventEnvelope;
import java.util.Map;

/** The context of an observed call of a listener. */
public final class OutboxProcessContext extends ReceiverContext<Map<String, String>> {

    private final EventEnvelope event;

    OutboxProcessContext(EventEnvelope event) {
        super(Map::get, Kind.CONSUMER);
        this.event = event;
        setCarrier(event.headers());
    }

    /** Returns the event that the listener is called with. Its type may be that of a subscription's row. */
    public EventEnvelope event() {
        return event;
    }
}
