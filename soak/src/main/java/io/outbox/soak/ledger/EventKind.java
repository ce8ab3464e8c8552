package io.outbox.soak.ledger;

/** What becomes of an event at its listener, and in the end; the name is the event's type. */
public enum EventKind {
    /** Takes a few milliseconds. */
    PLAIN(End.DONE),
    /** Is due only after a while. */
    DELAYED(End.DONE),
    /** Takes some hundred milliseconds. */
    SLOW(End.DONE),
    /** Takes longer than the lease. */
    LONG(End.DONE),
    /** Fails the first time it comes to a node. */
    FAILING(End.DONE),
    /** Is put off the first time it comes to a node. */
    DEFERRED(End.DONE),
    /** Is refused for good. */
    HOPELESS(End.DEAD),
    /** Goes to the broker. */
    PUBLISHED(End.DONE);

    /** Where an event ends. */
    public enum End {
        DONE,
        DEAD
    }

    private final End end;

    EventKind(End end) {
        this.end = end;
    }

    /** Where the listener wants it to end. */
    public End end() {
        return end;
    }
}
