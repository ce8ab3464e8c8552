package io.outbox.model;

import java.time.Instant;

/**
 * An event of the outbox as an operator sees it.
 *
 * @param event the event; in lists without payload and headers
 * @param doneAt when it was delivered, or {@code null}
 * @param lastError the text of the last failure, or {@code null}
 * @param lock who has it in hand, or {@code null}
 */
public record InspectedEvent(OutboxEvent event, EventStatus status, Instant doneAt, String lastError, Lock lock) {

    /** A node that has an event in hand, since when. */
    public record Lock(String node, Instant since) {}
}
