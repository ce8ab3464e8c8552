package io.outbox.spi;

/** How a transaction ended, as far as can be told. */
public enum TransactionEnd {
    /** What was written is visible. */
    COMMITTED,
    /** Nothing of what was written is there, for certain. */
    ROLLED_BACK,
    /** Nobody knows: the answer to the commit got lost, or a part of the transaction was rolled back before it. */
    UNKNOWN
}
