package io.outbox.soak.node;

import java.util.List;

/** How a transaction of the business goes. */
enum Course {
    COMMIT,
    /** The business changes its mind. */
    ROLL_BACK,
    /** Another transaction and this one wait for each other; the business catches the error and commits. */
    DEADLOCK,
    /** A row is locked for too long; the business catches the error and commits. */
    LOCK_TIMEOUT,
    /** The events are written after a savepoint that is undone on the connection itself; the rest is committed. */
    SAVEPOINT;

    /** Those in which something goes wrong inside the transaction. */
    static final List<Course> ERRORS = List.of(DEADLOCK, LOCK_TIMEOUT, SAVEPOINT);
}
