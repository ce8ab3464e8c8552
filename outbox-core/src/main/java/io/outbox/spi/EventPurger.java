package io.outbox.spi;

import java.sql.Connection;
import java.time.Instant;

/** Deletes events that are no longer needed: finished ones, or in writer-only use those of some age. */
@FunctionalInterface
public interface EventPurger {

    /**
     * Deletes up to {@code limit} DONE or DEAD events that ended before {@code before}; where the end is not recorded,
     * the time of creation counts.
     *
     * @return the number of rows deleted
     */
    int purge(Connection conn, Instant before, int limit);

    /**
     * As {@link #purge}, but leaves DEAD events. Called instead of it where they are to stay. Default: the same as
     * {@link #purge}, since a purger that does not tell them apart decides by itself what it deletes.
     */
    default int purgeDone(Connection conn, Instant before, int limit) {
        return purge(conn, before, limit);
    }
}
