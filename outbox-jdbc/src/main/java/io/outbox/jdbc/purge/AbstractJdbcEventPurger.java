package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.TableNames;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Deletes finished events, one range of the index at a time: first those whose end is recorded, then those whose end is
 * not, by their time of creation. So the cost depends on what is deleted, not on what is kept. Thread-safe.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

    private static final int MAX_TRIES = 5;

    private final String tableName;

    protected AbstractJdbcEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    protected AbstractJdbcEventPurger(String tableName) {
        this.tableName = TableNames.validate(tableName);
    }

    /** Returns the table this purger works on. */
    public final String tableName() {
        return tableName;
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
        int deleted = purgeDone(conn, before, limit);
        return deleted + purge(conn, EventStatus.DEAD, before, limit - deleted);
    }

    @Override
    public int purgeDone(Connection conn, Instant before, int limit) {
        int deleted = 0;
        for (EventStatus status : deletable()) {
            deleted += purge(conn, status, before, limit - deleted);
        }
        return deleted;
    }

    private int purge(Connection conn, EventStatus status, Instant before, int limit) {
        int deleted = 0;
        for (Range range : ranges(status.code())) {
            if (deleted < limit) {
                deleted += delete(conn, range, before, limit - deleted);
            }
        }
        return deleted;
    }

    /**
     * Deletes a part of a range, again if the database broke a deadlock with another purge at our expense. In a
     * transaction of the caller's that is for the caller to do, since the deadlock has ended it.
     */
    private int delete(Connection conn, Range range, Instant before, int limit) {
        for (int tries = 1; ; tries++) {
            try {
                beforeDelete(conn);
                return JdbcTemplate.update(conn, deleteSql(range), before, limit);
            } catch (OutboxStoreException e) {
                boolean deadlock = e.getCause() instanceof SQLException cause && "40001".equals(cause.getSQLState());
                if (!deadlock || !isAutoCommit(conn) || tries == MAX_TRIES) {
                    throw e;
                }
            }
        }
    }

    private static boolean isAutoCommit(Connection conn) {
        try {
            return conn.getAutoCommit();
        } catch (SQLException e) {
            return false;
        }
    }

    /** Returns the statuses, besides DEAD, of which events are deleted. */
    protected List<EventStatus> deletable() {
        return List.of(EventStatus.DONE);
    }

    /** Called before each statement. */
    protected void beforeDelete(Connection conn) {}

    /** A range of the index: a condition with one parameter, the cut-off, and the order in which the index has it. */
    protected record Range(String condition, String order) {}

    /** Returns the ranges that together hold all events of a terminal status before the cut-off. */
    protected List<Range> ranges(int status) {
        return List.of(
                new Range("status = " + status + " AND done_at < ?", "status, done_at"),
                new Range(
                        "status = " + status + " AND done_at IS NULL AND created_at < ?",
                        "status, done_at, created_at"));
    }

    /**
     * Returns the ranges that hold the events of a status that were created before the cut-off; of those not finished,
     * the ones that were also due before it, so that a delayed event is not deleted ahead of its time.
     *
     * @param prefix the columns that stand before the times in the index, as a beginning of an ORDER BY
     */
    protected static List<Range> rangesByAge(int status, String prefix) {
        boolean finished = status == EventStatus.DONE.code() || status == EventStatus.DEAD.code();
        return List.of(
                finished
                        ? new Range("status = " + status + " AND created_at < ?", prefix + "done_at")
                        : new Range("status = " + status + " AND available_at < ?", prefix + "available_at"));
    }

    /** Returns the statement that deletes a part of a range; its parameters are the cut-off and the limit. */
    protected String deleteSql(Range range) {
        return "DELETE FROM " + tableName + " WHERE event_id IN (SELECT event_id FROM " + tableName + " WHERE "
                + range.condition() + " ORDER BY " + range.order() + " LIMIT ?)";
    }
}
