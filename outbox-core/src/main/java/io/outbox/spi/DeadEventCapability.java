package io.outbox.spi;

/** What an engine can do with dead events beyond showing, replaying, replacing and deleting them. */
public enum DeadEventCapability {
    /** Dead events are kept apart as dead letters; see {@link DeadEventBackend#queue()}. */
    QUEUE,
    /** A dead event can be settled without delivery, and is kept until its retention is over. */
    RESOLVE,
    /** Failed attempts are remembered, with their times. Without it, times of failures are not known. */
    HISTORY
}
