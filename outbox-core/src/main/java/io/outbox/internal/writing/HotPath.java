package io.outbox.internal.writing;

import io.outbox.EventEnvelope;
import java.util.List;

/** The way of an event from its transaction straight into this node's queues. */
public interface HotPath {

    /** Leaves every event to the poller. */
    HotPath NONE = new HotPath() {
        @Override
        public Reservation reserve(List<EventEnvelope> events) {
            return Reservation.none(events);
        }

        @Override
        public void takeCommitted(List<EventEnvelope> events) {
            // the poller finds them
        }
    };

    /** Reserves those of the events that this node can deliver itself; to be called before they are written. */
    Reservation reserve(List<EventEnvelope> events);

    /** Takes events that are committed already and were not reserved. */
    void takeCommitted(List<EventEnvelope> events);
}
