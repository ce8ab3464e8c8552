package io.outbox.internal.writing;

import io.outbox.EventEnvelope;
import java.util.List;

/** The way of an event from its transaction straight into this node's queues. */
public interface HotPath {

    /** Leaves every event to the poller. */
    HotPath NONE = Reservation::none;

    /** Reserves those of the events that this node can deliver itself; to be called before they are written. */
    Reservation reserve(List<EventEnvelope> events);
}
