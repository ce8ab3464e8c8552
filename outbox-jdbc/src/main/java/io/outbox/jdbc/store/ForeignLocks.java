package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.spi.Lease;
import java.lang.System.Logger.Level;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notices locks in rows that are read without any, as a node does that is alone: only nodes that share a table lock
 * rows. Such an event is delivered all the same. It may have been left behind by a node that is gone, and the other
 * node takes events of this one in any case; what helps is that somebody is told. Thread-safe.
 */
final class ForeignLocks {

    private static final System.Logger LOG = System.getLogger(ForeignLocks.class.getName());

    private final String tableName;
    private final AtomicBoolean told = new AtomicBoolean();

    ForeignLocks(String tableName) {
        this.tableName = tableName;
    }

    /** Looks at a row that was read at this time. */
    void lookAt(ResultSet row, Instant now) throws SQLException {
        if (told.get()) {
            return;
        }
        String holder = row.getString("locked_by");
        Instant since = holder == null ? null : JdbcTemplate.instant(row, "locked_at");
        if (since != null && since.isAfter(now.minus(Lease.DEFAULT_DURATION)) && told.compareAndSet(false, true)) {
            LOG.log(
                    Level.ERROR,
                    "Event {0} is due in {1} and was locked by {2} at {3}: another instance delivers from this table in"
                            + " multi-node mode, or was stopped without releasing its locks. This instance is not in multi-node"
                            + " mode and ignores locks, so while the other one runs, events are delivered twice. Use"
                            + " multi-node mode for all instances (Outbox.multiNode(), outbox.mode=multi-node)",
                    row.getString("event_id"),
                    tableName,
                    holder,
                    since);
        }
    }
}
