package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Applies batches of outcomes: one statement for all that are done, which is nearly always all of them, and one
 * statement per event, sent as a batch, for the rest.
 *
 * <p>A batch may be applied again because its first commit got lost on the way back. What the first time wrote is
 * recognised by its own values (the end time, the retry time, the error), so that it is neither counted twice nor
 * mistaken for another owner's.
 */
final class OutcomeStatements {

    private final String tableName;
    private final String updateTarget;

    OutcomeStatements(String tableName, String updateTarget) {
        this.tableName = tableName;
        this.updateTarget = updateTarget;
    }

    /** Returns whether the outcomes must be written and read back in one transaction. */
    boolean needTransaction(List<Outcome> outcomes) {
        return outcomes.stream().anyMatch(outcome -> !(outcome instanceof Outcome.Done));
    }

    Map<String, EventStatus> apply(Connection conn, String ownerId, List<Outcome> outcomes) {
        List<Outcome.Done> done = new ArrayList<>();
        Map<String, Outcome> others = new LinkedHashMap<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Done one) {
                done.add(one);
            } else {
                others.put(outcome.eventId(), outcome);
            }
        }
        Map<String, EventStatus> applied = new HashMap<>();
        applyDone(conn, ownerId, done, applied);
        applyOthers(conn, ownerId, others.values(), applied);
        return applied;
    }

    private void applyDone(Connection conn, String ownerId, List<Outcome.Done> done, Map<String, EventStatus> applied) {
        List<String> all =
                done.stream().map(Outcome.Done::eventId).distinct().sorted().toList();
        for (IdList ids : IdList.chunks(all)) {
            Instant doneAt = done.get(0).at();
            int rows = JdbcTemplate.update(
                    conn,
                    "UPDATE " + updateTarget + " SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL"
                            + " WHERE event_id IN " + ids.sql() + " AND " + AbstractJdbcOutboxStore.NOT_FINISHED
                            + fence(ownerId),
                    ids.params(List.of(doneAt), fenceParams(ownerId)));
            List<String> changed = rows == ids.size() ? ids.ids() : doneAt(conn, ids, doneAt);
            changed.forEach(id -> applied.put(id, EventStatus.DONE));
        }
    }

    private List<String> doneAt(Connection conn, IdList ids, Instant doneAt) {
        return JdbcTemplate.query(
                conn,
                "SELECT event_id FROM " + tableName + " WHERE event_id IN " + ids.sql()
                        + " AND status = 1 AND done_at = ?",
                row -> row.getString(1),
                ids.params(List.of(), List.of(doneAt)));
    }

    private void applyOthers(
            Connection conn, String ownerId, Collection<Outcome> outcomes, Map<String, EventStatus> applied) {
        List<Object[]> failed = new ArrayList<>();
        List<Object[]> deferred = new ArrayList<>();
        List<Object[]> dead = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Outcome.Failed one) {
                int budget = one.exhausted() ? 0 : one.maxAttempts();
                failed.add(params(
                        ownerId, budget, one.retryAt(), one.error(), one.eventId(), one.retryAt(), one.attempts()));
            } else if (outcome instanceof Outcome.Deferred one) {
                deferred.add(params(ownerId, one.until(), one.eventId()));
            } else if (outcome instanceof Outcome.Dead one) {
                dead.add(params(ownerId, one.error(), one.eventId()));
            }
        }
        // status stands before attempts because MySQL evaluates assignments from left to right
        update(
                conn,
                ownerId,
                failed,
                "status = CASE WHEN attempts + 1 >= ? THEN 3 ELSE 2 END, attempts = attempts + 1,"
                        + " available_at = ?, last_error = ?",
                " AND NOT (status = 2 AND available_at = ? AND attempts > ?)");
        update(conn, ownerId, deferred, "status = 0, available_at = ?", "");
        update(conn, ownerId, dead, "status = 3, last_error = ?", "");
        Map<String, Stored> stored =
                read(conn, outcomes.stream().map(Outcome::eventId).toList());
        for (Outcome outcome : outcomes) {
            Stored row = stored.get(outcome.eventId());
            if (row != null && row.shows(outcome)) {
                applied.put(outcome.eventId(), row.status);
            }
        }
    }

    private void update(Connection conn, String ownerId, List<Object[]> rows, String changes, String condition) {
        if (!rows.isEmpty()) {
            JdbcTemplate.batch(
                    conn,
                    "UPDATE " + updateTarget + " SET " + changes + ", locked_by = NULL, locked_at = NULL"
                            + " WHERE event_id = ? AND " + AbstractJdbcOutboxStore.NOT_FINISHED + condition
                            + fence(ownerId),
                    rows);
        }
    }

    private Map<String, Stored> read(Connection conn, List<String> eventIds) {
        Map<String, Stored> stored = new HashMap<>();
        for (IdList ids : IdList.chunks(eventIds)) {
            JdbcTemplate.query(
                            conn,
                            "SELECT event_id, status, attempts, available_at, last_error FROM " + tableName
                                    + " WHERE event_id IN " + ids.sql(),
                            row -> new Stored(
                                    row.getString("event_id"),
                                    EventStatus.fromCode(row.getInt("status")),
                                    row.getInt("attempts"),
                                    JdbcTemplate.instant(row, "available_at"),
                                    row.getString("last_error")),
                            ids.params(List.of(), List.of()))
                    .forEach(row -> stored.put(row.eventId, row));
        }
        return stored;
    }

    /** The columns of a row that tell which outcome was written last. */
    private record Stored(String eventId, EventStatus status, int attempts, Instant availableAt, String lastError) {

        boolean shows(Outcome outcome) {
            if (outcome instanceof Outcome.Failed failed) {
                return (status == EventStatus.RETRY || status == EventStatus.DEAD)
                        && attempts > failed.attempts()
                        && isDueAt(failed.retryAt());
            }
            if (outcome instanceof Outcome.Deferred deferred) {
                return status == EventStatus.NEW && isDueAt(deferred.until());
            }
            return outcome instanceof Outcome.Dead dead
                    && status == EventStatus.DEAD
                    && Objects.equals(lastError, dead.error());
        }

        private boolean isDueAt(Instant instant) {
            return instant.truncatedTo(ChronoUnit.MICROS).equals(availableAt);
        }
    }

    private static String fence(String ownerId) {
        return ownerId == null ? "" : " AND locked_by = ?";
    }

    private static List<String> fenceParams(String ownerId) {
        return ownerId == null ? List.of() : List.of(ownerId);
    }

    private static Object[] params(String ownerId, Object... values) {
        List<Object> params = new ArrayList<>(java.util.Arrays.asList(values));
        params.addAll(fenceParams(ownerId));
        return params.toArray();
    }
}
