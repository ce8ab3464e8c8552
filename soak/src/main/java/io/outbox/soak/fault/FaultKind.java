package io.outbox.soak.fault;

/**
 * A way in which a node or the server can fail.
 *
 * <p>What excuses a second delivery is the inability of the node that made the first one to keep its lease or to say that
 * it is done. A fault of the server excuses none: it hits all nodes alike, and whoever held an event before still holds it
 * afterwards.
 */
public enum FaultKind {
    /** SIGKILL; another node takes its place. */
    KILLED(Excuse.ALWAYS),
    /** SIGSTOP for longer than the lease. */
    STOPPED(Excuse.LOST_LEASE),
    /** Nothing passes its connections for longer than the lease, then everything held back arrives. */
    STALLED(Excuse.LOST_LEASE),
    /** The server gets its requests, the answers come later than the lease. */
    LATE_ANSWERS(Excuse.LOST_LEASE),
    /** Its connections are reset, and none can be opened for longer than the lease. */
    CUT_OFF(Excuse.LOST_LEASE),
    /** Its connections are reset; it can connect again at once. */
    RESET(Excuse.NEVER),
    /** Closed under load; what its listeners have not finished within the drain timeout may come again. */
    CLOSED(Excuse.UNFINISHED),

    SERVER_KILLED(Excuse.NEVER),
    SERVER_FROZEN(Excuse.NEVER),
    /** Every UPDATE of the outbox table fails, in Redis every write. */
    SERVER_REFUSING(Excuse.NEVER),
    /** Every change of the outbox waits. */
    SERVER_BLOCKING(Excuse.NEVER);

    /** When a fault of the node that made the earlier delivery explains a later one. */
    public enum Excuse {
        ALWAYS,
        /** If it lasted long enough to lose the lease. */
        LOST_LEASE,
        /** If the earlier delivery had not ended when the fault was over. */
        UNFINISHED,
        NEVER
    }

    private final Excuse excuse;

    FaultKind(Excuse excuse) {
        this.excuse = excuse;
    }

    public Excuse excuse() {
        return excuse;
    }

    /** Whether it goes on for as long as planned, and is not over by itself. */
    public boolean lasts() {
        return this != KILLED && this != RESET && this != CLOSED;
    }

    /** Whether it happens to the server and not to a node. */
    public boolean hitsServer() {
        return name().startsWith("SERVER_");
    }
}
