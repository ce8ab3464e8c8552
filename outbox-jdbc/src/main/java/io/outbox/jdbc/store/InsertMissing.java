package io.outbox.jdbc.store;

/** How a database inserts those of several rows whose key is not there, in one transaction with other work. */
public enum InsertMissing {
    /** {@code ON CONFLICT DO NOTHING RETURNING}: one statement, which tells what it has inserted. */
    ON_CONFLICT,
    /** {@code ON DUPLICATE KEY UPDATE}: one statement, which does not. */
    ON_DUPLICATE_KEY,
    /** {@code MERGE}: one statement, which does not. */
    MERGE,
    /** One {@code MERGE} for each row, sent as a batch, which does not. */
    MERGE_EACH,
    /** One INSERT for each row. A duplicate key fails that statement only, and leaves the transaction as it is. */
    ONE_BY_ONE
}
