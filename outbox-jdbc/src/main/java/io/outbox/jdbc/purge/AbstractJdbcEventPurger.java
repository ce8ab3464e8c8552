package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.Repetition;
import io.outbox.jdbc.TableNames;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Deletes finished events, one range of the index at a time: first those whose end is recorded, then those whose end is
 * not, by their time of creation. So the cost depends on what is deleted, not on what is kept. Thread-safe.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

    private static final String DELETE = """
        DELETE FROM %1$s WHERE event_id IN (
          SELECT event_id FROM %1$s WHERE %2$s ORDER BY %3$s LIMIT ?)\
        """;

    /** The order of the index for finished events, with a last key that no two events share. */
    private static final String END_ORDER = "done_at, created_at, event_id";

    private final String tableName;

    protected AbstractJdbcEventPurger() {
        this(TableNames.DEFAULT_TABLE);
    }

    protected AbstractJdbcEventPurger(String tableName) {
        this.tableName = TableNames.validate(tableName);
    }

    /** Returns a purger of finished events for databases without a specific one. */
    public static EventPurger portable(String tableName) {
        return new AbstractJdbcEventPurger(tableName) {};
    }

    /** Returns a purger by age, delivered or not, for databases without a specific one. */
    public static EventPurger portableByAge(String tableName) {
        return new AbstractJdbcEventPurger(tableName) {
            @Override
            protected List<EventStatus> deletable() {
                return WHATEVER_BECAME_OF_THEM;
            }

            @Override
            protected List<Range> ranges(int status) {
                return rangesByAge(status, "status, ");
            }
        };
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

    int delete(Connection conn, Range range, Instant before, int limit) {
        return repetition()
                .run(conn, () -> JdbcTemplate.tuned(this::tune).update(conn, deleteSql(range), before, limit));
    }

    final Repetition repetition() {
        return new Repetition(this::beforeDelete, this::beginRepetition);
    }

    /** The statuses, besides DEAD, of which a purger by age deletes events. */
    protected static final List<EventStatus> WHATEVER_BECAME_OF_THEM =
            List.of(EventStatus.NEW, EventStatus.RETRY, EventStatus.DONE);

    /** Returns the statuses, besides DEAD, of which events are deleted. */
    protected List<EventStatus> deletable() {
        return List.of(EventStatus.DONE);
    }

    /** Called on a connection in auto-commit mode before each statement. */
    protected void beforeDelete(Connection conn) {}

    /** Called at the beginning of a transaction in which a statement is run again that the database gave up. */
    protected void beginRepetition(Connection conn) {}

    /** Sets what the database wants set on a statement before it runs. */
    protected void tune(PreparedStatement statement) throws SQLException {}

    /**
     * A range of the index.
     *
     * @param condition what is in it, with one parameter, the cut-off
     * @param order the order in which the index has it; no two events may share their place, or a database that reads
     * the
     *     range twice may see different ones
     */
    protected record Range(String condition, String order) {}

    /** Returns the ranges that together hold all events of a terminal status before the cut-off. */
    protected List<Range> ranges(int status) {
        return List.of(
                new Range("status = " + status + " AND done_at < ?", "status, " + END_ORDER),
                new Range("status = " + status + " AND done_at IS NULL AND created_at < ?", "status, " + END_ORDER));
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
                        ? new Range("status = " + status + " AND created_at < ?", prefix + END_ORDER)
                        : new Range(
                                "status = " + status + " AND available_at < ?",
                                prefix + "available_at, created_at, event_id"));
    }

    /** Returns the statement that deletes a part of a range; its parameters are the cut-off and the limit. */
    protected String deleteSql(Range range) {
        return DELETE.formatted(tableName, range.condition(), range.order());
    }
}
