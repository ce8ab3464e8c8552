package io.outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An event of the outbox as an operator sees it.
 *
 * @param event the event; in lists without payload and headers
 * @param doneAt when it was delivered, if it was
 * @param lastError the text of the last failure, if there was one
 * @param lock who has it in hand, if any node has
 */
public record InspectedEvent(
        OutboxEvent event,
        EventStatus status,
        @Nullable Instant doneAt,
        @Nullable String lastError,
        @Nullable Lock lock) {

    /** The node that holds an event, and since when. */
    public record Lock(String node, Instant since) {}
}
