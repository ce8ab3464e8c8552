package io.outbox.model;

import java.util.List;

/** What this node does at the moment, as far as it knows without the store. */
public record NodeStatus(
        OutboxStatus.State state, int hotQueueDepth, int coldQueueDepth, List<UnavailableTarget> unavailable) {

    public NodeStatus {
        unavailable = List.copyOf(unavailable);
    }
}
