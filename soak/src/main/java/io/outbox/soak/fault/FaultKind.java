package io.outbox.soak.fault;

import io.outbox.soak.ledger.EventKind;

/**
 * A way in which a node, its business, the server, its neighbours or the broker can fail.
 *
 * <p>What excuses a second delivery is the inability of the node that made the first one to keep its lease or to say
 * that it is done. A fault of the server excuses none: it hits all nodes alike, and whoever held an event before still
 * holds it afterwards.
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
    /**
     * Again and again its connections are reset after the server has got its requests and before the answers are back.
     */
    LOST_ANSWERS(Excuse.NEVER),
    /** Closed under load; what its listeners have not finished within the drain timeout may come again. */
    CLOSED(Excuse.UNFINISHED),
    /** Its business catches deadlocks and lock timeouts and commits, and undoes savepoints around its writes. */
    CAUGHT_ERRORS(Excuse.NEVER),
    /** Its business writes events of up to 1 MB among the small ones. */
    LARGE_PAYLOADS(Excuse.NEVER),
    /** Something else in its process keeps all connections of its pool for longer than the lease. */
    POOL_EXHAUSTED(Excuse.LOST_LEASE),

    SERVER_KILLED(Excuse.NEVER),
    SERVER_FROZEN(Excuse.NEVER),
    /**
     * The disk of the server is full; the operator frees it and starts the server again. Needs a small disk, see {@code
     * soak.disk}.
     */
    SERVER_DISK_FULL(Excuse.NEVER),
    /** Every UPDATE of the outbox table fails, in Redis every write. */
    SERVER_REFUSING(Excuse.NEVER),
    /** Every change of the outbox waits. */
    SERVER_BLOCKING(Excuse.NEVER),
    /** As {@link #LOST_ANSWERS}, for all nodes at the same time. */
    SERVER_LOST_ANSWERS(Excuse.NEVER),
    /** A session beside the nodes has locked the rows of a few events. */
    SERVER_ROWS_LOCKED(Excuse.LOCKED_ROW),
    /** A session beside the nodes has a snapshot open, so that no dead row can be cleaned up. */
    SERVER_SNAPSHOT(Excuse.NEVER),
    /** An operator ends all sessions, again and again. */
    SERVER_SESSIONS_ENDED(Excuse.NEVER),
    /**
     * A replica that has everything becomes the primary. For longer than the lease the address still leads to the old
     * one, which answers and refuses changes; then it moves, and connections to the old one stay open.
     */
    SERVER_FAIL_OVER(Excuse.NEVER),
    /**
     * What the outbox has in a Redis Cluster goes to another node. For longer than the lease a part of it is there
     * already; then the rest follows, and the address moves.
     */
    SERVER_SLOT_MOVED(Excuse.NEVER),

    /** The broker is ended by SIGKILL and stays away for longer than the lease. */
    BROKER_KILLED(Excuse.NEVER),
    /** The broker answers nothing for longer than the lease, on connections that stay open. */
    BROKER_FROZEN(Excuse.NEVER);

    /** When a fault explains a later delivery; all but the last one have to hit the node that made the earlier one. */
    public enum Excuse {
        ALWAYS,
        /** If it lasted long enough to lose the lease. */
        LOST_LEASE,
        /** If the earlier delivery had not ended when the fault was over. */
        UNFINISHED,
        NEVER,
        /** If it hit the row of this very event, and lasted long enough to lose the lease. */
        LOCKED_ROW
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

    /** Whether it happens to the broker to which some events go. */
    public boolean hitsBroker() {
        return name().startsWith("BROKER_");
    }

    /**
     * Whether events of the kind may have to wait because of it: for a lease to end, or for the server or the broker to
     * be there again.
     */
    public boolean delays(EventKind kind) {
        return switch (this) {
            case KILLED, STOPPED, STALLED, LATE_ANSWERS, CUT_OFF, CLOSED, POOL_EXHAUSTED -> true;
            case SERVER_KILLED, SERVER_FROZEN, SERVER_DISK_FULL -> true;
            case SERVER_REFUSING, SERVER_BLOCKING, SERVER_FAIL_OVER, SERVER_SLOT_MOVED -> true;
            case RESET, LOST_ANSWERS, CAUGHT_ERRORS, LARGE_PAYLOADS -> false;
            case SERVER_LOST_ANSWERS, SERVER_SESSIONS_ENDED, SERVER_ROWS_LOCKED, SERVER_SNAPSHOT -> false;
            case BROKER_KILLED, BROKER_FROZEN -> kind == EventKind.PUBLISHED;
        };
    }

    /** Whether it takes a database, with rows, locks, snapshots and sessions. */
    public boolean needsDatabase() {
        return switch (this) {
            case CAUGHT_ERRORS, POOL_EXHAUSTED, SERVER_ROWS_LOCKED, SERVER_SNAPSHOT -> true;
            case SERVER_SESSIONS_ENDED -> true;
            default -> false;
        };
    }

    /** Whether it takes a Redis. */
    public boolean needsRedis() {
        return this == SERVER_SLOT_MOVED;
    }
}
