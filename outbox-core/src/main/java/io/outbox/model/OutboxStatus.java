package io.outbox.model;

import java.util.List;

/**
 * What an outbox does at the moment.
 *
 * @param pending what is due and not delivered, one entry per event type
 * @param dead the number of DEAD events
 * @param unavailable what cannot be delivered by this node at the moment, and why, one entry per event type
 */
public record OutboxStatus(
        State state,
        int hotQueueDepth,
        int coldQueueDepth,
        List<PendingEvents> pending,
        int dead,
        List<UnavailableTarget> unavailable) {

    public OutboxStatus {
        pending = List.copyOf(pending);
        unavailable = List.copyOf(unavailable);
    }

    /** Returns the event types that cannot be delivered by this node at the moment. */
    public List<String> unavailableTypes() {
        return unavailable.stream().map(UnavailableTarget::eventType).toList();
    }

    /** Whether events are delivered. */
    public enum State {
        WRITER_ONLY,
        NOT_STARTED,
        RUNNING,
        PAUSED,
        CLOSED
    }
}
