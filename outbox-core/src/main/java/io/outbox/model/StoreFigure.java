package io.outbox.model;

import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A figure that a store reports about itself and that affects delivery.
 *
 * @param advice what is wrong and what to do, or {@code null} if all is well
 */
public record StoreFigure(Kind kind, double value, @Nullable String advice) {

    /** The kinds of figures. A store reports those that it knows. */
    public enum Kind {
        /** How long the oldest transaction has been open that keeps finished rows from being cleaned up. */
        OLDEST_TRANSACTION_SECONDS,
        /** How many transactions have begun since the oldest snapshot that anybody may still read. */
        OLDEST_SNAPSHOT_TRANSACTIONS,
        /** How many transactions have begun since the state that the slowest replication slot keeps. */
        OLDEST_SLOT_TRANSACTIONS,
        /** How much of the log is kept for the slowest replication slot. */
        SLOT_RETAINED_BYTES,
        /** Rows of the outbox table that are gone and not yet cleaned up. */
        DEAD_ROWS,
        /** Former versions of rows, of all tables, that are not yet cleaned up. */
        OLD_ROW_VERSIONS,
        /** How full the queue of notifications is, from 0 to 1. */
        NOTIFICATION_QUEUE_USAGE,
        /** Statements on the outbox table that have waited for a lock for more than five seconds. */
        BLOCKED_STATEMENTS;

        /** Returns the name in small letters with dots, as meters have it. */
        public String meterName() {
            return name().toLowerCase(Locale.ROOT).replace('_', '.');
        }
    }

    public StoreFigure {
        Objects.requireNonNull(kind, "kind");
    }
}
