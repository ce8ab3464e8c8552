package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Applies batches of outcomes: one statement for all that are done at the same time or not kept, which is nearly always
 * all of them, and one statement per event, sent as a batch, for the rest.
 *
 * <p>A batch may be applied again, as a whole or in parts, because the answer to its commit got lost. What was written
 * the first time is recognised by its own values (the end time, the due time, the error), so that it is neither counted
 * twice nor mistaken for another owner's. What was deleted has no values left: an event that is not kept and not there
 * is done, by us the first time or by the node that took it over. Whether attempts are left is decided by the row's own
 * count alone.
 */
final class OutcomeUpdates {

    private static final String DONE = """
            UPDATE {by_id} SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL
            WHERE {briefly}event_id {among} AND {unfinished}{fence}""";

    private static final String DELETE_DONE = """
            {delete_by_id} WHERE {briefly}event_id {among} AND {unfinished}{fence}""";

    /** The status stands before the attempts because MySQL evaluates assignments from left to right. */
    private static final String FAILED = """
            UPDATE {by_id} SET status = CASE WHEN attempts + 1 >= ? THEN 3 ELSE 2 END, attempts = attempts + 1,
              available_at = ?, last_error = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished} AND NOT (status = 2 AND available_at = ? AND attempts > ?){fence}""";

    private static final String DEFERRED = """
            UPDATE {by_id} SET status = 0, available_at = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}{fence}""";

    private static final String DEAD = """
            UPDATE {by_id} SET status = 3, last_error = ?, locked_by = NULL, locked_at = NULL
            WHERE event_id = ? AND {unfinished}{fence}""";

    private static final String WRITTEN = """
            SELECT event_id, status, available_at, done_at, last_error FROM {by_id} WHERE event_id {among}""";

    private static final String DONE_AMONG = """
            SELECT event_id FROM {by_id} WHERE event_id {among} AND status = 1""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;
    private final Fence fence;
    private final Function<Collection<String>, Set<String>> buried;

    OutcomeUpdates(AbstractJdbcOutboxStore store, Connection conn, Fence fence) {
        this(store, conn, fence, gone -> Set.of());
    }

    /** @param buried tells which of the events that are gone have died, and thus are not done */
    OutcomeUpdates(
            AbstractJdbcOutboxStore store,
            Connection conn,
            Fence fence,
            Function<Collection<String>, Set<String>> buried) {
        this.store = store;
        this.conn = conn;
        this.fence = fence;
        this.buried = buried;
    }

    /** Makes a change of these outcomes, in a transaction if it takes several statements. */
    static <T> T change(
            AbstractJdbcOutboxStore store,
            Connection conn,
            Fence fence,
            List<Outcome> outcomes,
            RowChange.Change<T> write) {
        RowChange change = new RowChange(store, conn, fence);
        Set<String> eventIds = new HashSet<>();
        for (Outcome outcome : outcomes) {
            eventIds.add(outcome.eventId());
        }
        return needTransaction(outcomes)
                ? change.inTransaction(eventIds, write)
                : change.inOneStatement(eventIds, write);
    }

    private static boolean needTransaction(List<Outcome> outcomes) {
        if (outcomes.size() > IdList.MAX_SIZE) {
            return true;
        }
        for (Outcome outcome : outcomes) {
            if (!(outcome instanceof Outcome.Done done)
                    || !(outcomes.get(0) instanceof Outcome.Done first)
                    || done.keep() != first.keep()
                    || (done.keep() && !done.at().equals(first.at()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Writes outcomes of the events that may be changed.
     *
     * @return the status of each event whose outcome stands, whether it was written now or before
     */
    Map<String, EventStatus> apply(List<Outcome> outcomes, Set<String> changeable) {
        Map<String, Outcome> byId = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            byId.put(outcome.eventId(), outcome);
        }
        Kinds written = new Kinds();
        for (Outcome outcome : byId.values()) {
            if (changeable.contains(outcome.eventId())) {
                written.add(outcome);
            }
        }
        Map<String, EventStatus> standing = new HashMap<>();
        if (writeDone(written.kept)) {
            stand(written.kept, byId, standing);
        }
        if (deleteDone(written.deleted)) {
            stand(written.deleted, byId, standing);
        }
        writeFailed(written.failed);
        writeDeferred(written.deferred);
        writeDead(written.dead);
        readStanding(byId, standing);
        return standing;
    }

    /** Outcomes by what is written for them. */
    private static final class Kinds {

        private final List<Outcome.Done> kept = new ArrayList<>();
        private final List<Outcome.Done> deleted = new ArrayList<>();
        private final List<Outcome.Failed> failed = new ArrayList<>();
        private final List<Outcome.Deferred> deferred = new ArrayList<>();
        private final List<Outcome.Dead> dead = new ArrayList<>();

        void add(Outcome outcome) {
            if (outcome instanceof Outcome.Done done) {
                (done.keep() ? kept : deleted).add(done);
            } else if (outcome instanceof Outcome.Failed one) {
                failed.add(one);
            } else if (outcome instanceof Outcome.Deferred one) {
                deferred.add(one);
            } else if (outcome instanceof Outcome.Dead one) {
                dead.add(one);
            }
        }
    }

    /** Notes outcomes that are known to stand, and need not be looked for. */
    private static void stand(List<Outcome.Done> done, Map<String, Outcome> open, Map<String, EventStatus> standing) {
        for (Outcome.Done one : done) {
            standing.put(one.eventId(), EventStatus.DONE);
            open.remove(one.eventId());
        }
    }

    /** Returns whether all rows are known to be changed. */
    private boolean writeDone(List<Outcome.Done> done) {
        Map<Instant, List<String>> byTime = new TreeMap<>();
        for (Outcome.Done one : done) {
            byTime.computeIfAbsent(one.at(), at -> new ArrayList<>()).add(one.eventId());
        }
        int rows = 0;
        List<Object[]> alone = new ArrayList<>();
        for (Map.Entry<Instant, List<String>> group : byTime.entrySet()) {
            Instant at = group.getKey();
            if (group.getValue().size() == 1 && byTime.size() > 1) {
                alone.add(params(at, group.getValue().get(0)));
                continue;
            }
            rows += updateAll(DONE, List.of(at), group.getValue());
        }
        write(fenced(DONE).with("among", "= ?"), alone);
        return rows == done.size();
    }

    /**
     * Returns whether all rows are known to be deleted.
     *
     * @throws OutboxStoreException with the remedy, if the user of the database may not delete
     */
    private boolean deleteDone(List<Outcome.Done> done) {
        List<String> eventIds = new ArrayList<>(done.size());
        for (Outcome.Done one : done) {
            eventIds.add(one.eventId());
        }
        try {
            return updateAll(DELETE_DONE, List.of(), eventIds) == done.size();
        } catch (OutboxStoreException e) {
            throw e.isForbidden()
                    ? new OutboxStoreException(
                            "With a retention of zero, finished events are deleted, but the outbox's database user has no"
                                    + " right to: GRANT DELETE ON " + store.tableName()
                                    + " to that user, or set a longer"
                                    + " retention. Until then these events stay unfinished",
                            e.getCause())
                    : e;
        }
    }

    /** Names the events in the order of their key, so that batches of several nodes do not lock each other out. */
    private int updateAll(String template, List<?> params, List<String> eventIds) {
        int rows = 0;
        eventIds.sort(null);
        for (IdList ids : store.idLists(eventIds)) {
            rows += fenced(template).with("among", ids.among()).update(conn, ids.params(params, fence.params()));
        }
        return rows;
    }

    private void writeFailed(List<Outcome.Failed> failed) {
        write(
                fenced(FAILED),
                failed.stream()
                        .map(one -> params(
                                one.maxAttempts(),
                                one.retryAt(),
                                one.error(),
                                one.eventId(),
                                one.retryAt(),
                                one.attempts()))
                        .toList());
    }

    private void writeDeferred(List<Outcome.Deferred> deferred) {
        write(
                fenced(DEFERRED),
                deferred.stream().map(one -> params(one.until(), one.eventId())).toList());
    }

    private void writeDead(List<Outcome.Dead> dead) {
        write(
                fenced(DEAD),
                dead.stream().map(one -> params(one.error(), one.eventId())).toList());
    }

    private void write(Sql sql, List<Object[]> rows) {
        if (!rows.isEmpty()) {
            sql.batch(conn, rows);
        }
    }

    private Sql fenced(String template) {
        return fence.fill(store.sql(template)).with("briefly", store.waitingBriefly(conn));
    }

    private Object[] params(Object... values) {
        List<Object> params = new ArrayList<>(Arrays.asList(values));
        params.addAll(fence.params());
        return params.toArray();
    }

    private void readStanding(Map<String, Outcome> outcomes, Map<String, EventStatus> standing) {
        for (IdList ids : IdList.chunks(outcomes.keySet())) {
            List<Written> rows = store.sql(WRITTEN).queryAmong(conn, List.of(ids), Written::map);
            Set<String> gone = new HashSet<>(ids.ids());
            for (Written row : rows) {
                gone.remove(row.eventId);
                if (row.shows(outcomes.get(row.eventId))) {
                    standing.put(row.eventId, row.status);
                }
            }
            gone.removeIf(eventId -> !(outcomes.get(eventId) instanceof Outcome.Done done) || done.keep());
            if (!gone.isEmpty()) {
                gone.removeAll(buried.apply(gone));
                gone.forEach(eventId -> standing.put(eventId, EventStatus.DONE));
            }
        }
    }

    /** Returns those of the events that are there and DONE. */
    Set<String> doneAmong(Collection<String> eventIds) {
        return new HashSet<>(store.sql(DONE_AMONG).queryAmong(conn, IdList.chunks(eventIds), Sql.EVENT_ID));
    }

    /** Returns whether a text is the one that was stored; not every database tells an empty one from none. */
    static boolean sameText(String text, String stored) {
        return Objects.requireNonNullElse(text, "").equals(Objects.requireNonNullElse(stored, ""));
    }

    /** The columns of a row that tell which outcome was written last. */
    private record Written(String eventId, EventStatus status, Instant availableAt, Instant doneAt, String lastError) {

        static Written map(ResultSet row) throws SQLException {
            return new Written(
                    row.getString("event_id"),
                    EventStatus.fromCode(row.getInt("status")),
                    JdbcTemplate.instant(row, "available_at"),
                    JdbcTemplate.instant(row, "done_at"),
                    row.getString("last_error"));
        }

        boolean shows(Outcome outcome) {
            if (outcome instanceof Outcome.Done done) {
                return status == EventStatus.DONE && same(done.at(), doneAt);
            }
            if (outcome instanceof Outcome.Failed failed) {
                return (status == EventStatus.RETRY || status == EventStatus.DEAD)
                        && same(failed.retryAt(), availableAt)
                        && sameText(failed.error(), lastError);
            }
            if (outcome instanceof Outcome.Deferred deferred) {
                return status == EventStatus.NEW && same(deferred.until(), availableAt);
            }
            return outcome instanceof Outcome.Dead dead
                    && status == EventStatus.DEAD
                    && sameText(dead.error(), lastError);
        }

        /** Databases keep microseconds. */
        private static boolean same(Instant time, Instant stored) {
            return time.truncatedTo(ChronoUnit.MICROS).equals(stored);
        }
    }
}
