package io.outbox.model;

import java.util.List;

/**
 * What an outbox does at the moment.
 *
 * @param pending what is due and not delivered, one entry per event type
 * @param dead the number of DEAD events
 * @param unavailableTypes event types with a lane of their own whose target cannot be reached
 */
public record OutboxStatus(
        State state,
        int hotQueueDepth,
        int coldQueueDepth,
        List<PendingEvents> pending,
        int dead,
        List<String> unavailableTypes) {

    /** Whether events are delivered. */
    public enum State {
        WRITER_ONLY,
        NOT_STARTED,
        RUNNING,
        PAUSED,
        CLOSED
    }
}
