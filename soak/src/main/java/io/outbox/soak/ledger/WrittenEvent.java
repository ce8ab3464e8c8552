package io.outbox.soak.ledger;

import io.outbox.soak.ledger.Entry.TransactionEnd;

/** An event that a business transaction of a node wrote. */
public record WrittenEvent(String eventId, EventKind kind, String node, TransactionEnd end) {}
