package io.outbox.soak.node;

/** What a node is told on its standard input while it runs. */
public enum Command {
    /** Stop writing and go on delivering. */
    QUIET,
    CATCH_ERRORS,
    CATCH_NO_ERRORS,
    WRITE_LARGE,
    WRITE_SMALL,
    /** Keep all connections of the pool. */
    EXHAUST_POOL,
    FREE_POOL
}
