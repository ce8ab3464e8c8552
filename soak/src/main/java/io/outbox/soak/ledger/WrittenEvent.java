package io.outbox.soak.ledger;

import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import java.time.Instant;

/**
 * An event that a business transaction of a node wrote.
 *
 * @param dueAt when it could be delivered at the earliest, or {@code null} if nobody knows when the transaction ended
 * @param place its place among the events of its key, or {@code null} if it has none
 */
public record WrittenEvent(
        String eventId, EventKind kind, String node, TransactionEnd end, Instant dueAt, Keyed place) {}
