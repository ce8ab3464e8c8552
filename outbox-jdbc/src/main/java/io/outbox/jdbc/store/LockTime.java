package io.outbox.jdbc.store;

import java.time.Instant;
import java.util.List;

/**
 * When a lock begins.
 *
 * @param sql the expression
 * @param params its parameters
 */
record LockTime(String sql, List<Object> params) {

    /** The database's time at the moment of locking, given the expression for it. */
    static LockTime ofDatabase(String utcNow) {
        return new LockTime(utcNow, List.of());
    }

    /** A time that the caller has chosen. */
    static LockTime of(Instant time) {
        return new LockTime("?", List.of(time));
    }
}
