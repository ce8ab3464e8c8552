package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.TableNames;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.EventTypes;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.OwnershipStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The SQL that all databases share, and a claim in two phases that works on any of them.
 *
 * <p>Statuses are literals, so that partial indexes apply. Due events are read in the order of (available at, created
 * at, event id), which an index serves, one status at a time, and returned in order of creation. Statements that belong
 * together run in one transaction: the caller's if there is one, else one of their own, which is repeated if the
 * database names a deadlock. A store is immutable and thread-safe.
 */
public abstract class AbstractJdbcOutboxStore implements OwnershipStore {

    /** The columns of an {@link OutboxEvent}. */
    protected static final String COLUMNS = "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload,"
            + " headers, attempts, created_at, available_at";

    /** The order in which pages of due events follow each other. */
    protected static final String DUE_ORDER = "available_at, created_at, event_id";

    /**
     * The guard of statements that name events by id. Worded differently from the condition of the index for pending
     * events on purpose: otherwise a planner may read that whole index rather than look the ids up.
     */
    static final String NOT_FINISHED = "status <> 1 AND status <> 3";

    private static final Comparator<OutboxEvent> BY_CREATION = Comparator.comparing(
                    OutboxEvent::createdAt, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(OutboxEvent::eventId);
    private static final Comparator<OutboxEvent> BY_DUE_TIME =
            Comparator.comparing(OutboxEvent::availableAt).thenComparing(BY_CREATION);

    private static final int MAX_DEADLOCK_RETRIES = 5;
    private static final String NEW = "status = 0";
    private static final String RETRY = "status = 2";

    private final String tableName;
    private final String insertSql;

    protected AbstractJdbcOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    protected AbstractJdbcOutboxStore(String tableName) {
        this.tableName = TableNames.validate(tableName);
        this.insertSql = insertSql("", "");
    }

    /** Returns the short name of the database, as in {@code postgresql}. */
    public abstract String name();

    /** Returns how JDBC URLs of this database begin. */
    public abstract List<String> jdbcUrlPrefixes();

    /** Returns the same kind of store for another table. */
    public abstract AbstractJdbcOutboxStore withTable(String tableName);

    /** Returns the SQL expression for the current time in UTC, as a timestamp without time zone. */
    protected abstract String utcNow();

    /** Returns the table as the target of updates that name events by id, with a hint for the planner if it needs one. */
    protected String updateTarget() {
        return tableName;
    }

    /** Returns the table this store works on. */
    public final String tableName() {
        return tableName;
    }

    // Writing

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insertBatch(conn, List.of(event));
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        insert(conn, insertSql, events);
    }

    @Override
    public void insertOwned(Connection conn, List<EventEnvelope> events, String ownerId) {
        Objects.requireNonNull(ownerId, "ownerId");
        insertBatch(conn, events.stream().filter(EventEnvelope::isDelayed).toList());
        insertLocked(conn, events.stream().filter(event -> !event.isDelayed()).toList(), ownerId);
    }

    /** Inserts events that are locked by the owner from now on. */
    protected void insertLocked(Connection conn, List<EventEnvelope> events, String ownerId) {
        insert(conn, insertSql(", locked_by, locked_at", ", ?, " + utcNow()), events, ownerId);
    }

    /** Returns the statement that inserts an event with further columns, given with their SQL values. */
    protected final String insertSql(String columns, String values) {
        return "INSERT INTO " + tableName + " (event_id, event_type, aggregate_type, aggregate_id, tenant_id,"
                + " payload, headers, status, attempts, available_at, created_at" + columns
                + ") VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?" + values + ")";
    }

    /** Inserts events by a statement of {@link #insertSql}, with the parameters of its further columns. */
    protected static void insert(Connection conn, String sql, List<EventEnvelope> events, Object... more) {
        if (!events.isEmpty()) {
            JdbcTemplate.batch(
                    conn, sql, events.stream().map(event -> row(event, more)).toList());
        }
    }

    /** Returns the column values of an event, followed by the given ones. */
    private static Object[] row(EventEnvelope event, Object[] more) {
        Instant availableAt = event.isDelayed() ? event.availableAt() : event.occurredAt();
        List<Object> values = new ArrayList<>(9 + more.length);
        values.add(event.eventId());
        values.add(event.eventType());
        values.add(event.aggregateType());
        values.add(event.aggregateId());
        values.add(event.tenantId());
        values.add(event.storedPayload());
        values.add(event.storedHeaders());
        values.add(availableAt);
        values.add(event.occurredAt());
        values.addAll(List.of(more));
        return values.toArray();
    }

    // Reading due events

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return pollPending(conn, now, skipRecent, EventTypes.ALL, null, limit);
    }

    @Override
    public List<OutboxEvent> pollPending(
            Connection conn, Instant now, Duration skipRecent, EventTypes types, OutboxEvent after, int limit) {
        List<OutboxEvent> due = new ArrayList<>();
        for (String partition : pendingPartitions()) {
            List<Object> params = new ArrayList<>(List.of(now, now.minus(skipRecent)));
            params.addAll(pageParams(after));
            params.addAll(types.names());
            params.add(limit);
            String sql = "SELECT " + COLUMNS + " FROM " + tableName + " WHERE " + partition
                    + " AND available_at <= ? AND created_at <= ?" + pageCondition(after) + typeCondition(types)
                    + " ORDER BY " + dueOrder(types) + " LIMIT ?";
            due.addAll(JdbcTemplate.query(conn, sql, this::mapRow, params.toArray()));
        }
        return inOrderOfCreation(due.stream().sorted(BY_DUE_TIME).limit(limit).toList());
    }

    /** Returns the condition for what follows an event in due order. */
    private static String pageCondition(OutboxEvent after) {
        return after == null
                ? ""
                : " AND available_at >= ? AND (available_at > ? OR created_at > ?"
                        + " OR (created_at = ? AND event_id > ?))";
    }

    private static List<?> pageParams(OutboxEvent after) {
        return after == null
                ? List.of()
                : List.of(
                        after.availableAt(),
                        after.availableAt(),
                        after.createdAt(),
                        after.createdAt(),
                        after.eventId());
    }

    /** Returns the condition for a choice of types; its parameters are their names. */
    protected static String typeCondition(EventTypes types) {
        if (types.isAll()) {
            return "";
        }
        if (types.names().size() == 1) {
            return " AND event_type " + (types.excluded() ? "<>" : "=") + " ?";
        }
        return " AND event_type " + (types.excluded() ? "NOT IN" : "IN") + " ("
                + String.join(", ", Collections.nCopies(types.names().size(), "?")) + ")";
    }

    /**
     * Returns the conditions that split pending events into parts that one range of an index holds each. Databases with
     * partial indexes need only one.
     */
    protected List<String> pendingPartitions() {
        return List.of(NEW, RETRY);
    }

    /** Returns the order of due events in a form that the index of a partition, or of a type in it, serves. */
    protected String dueOrder(EventTypes types) {
        return isOneType(types) ? "status, event_type, " + DUE_ORDER : "status, " + DUE_ORDER;
    }

    protected static boolean isOneType(EventTypes types) {
        return !types.excluded() && types.names().size() == 1;
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        return claim(
                conn,
                new Claim(
                        ownerId, now, lockExpiry, now.minus(skipRecent), null, EventTypes.ALL, limit, takenOver -> {}));
    }

    @Override
    public List<OutboxEvent> claimPending(Connection conn, ClaimRequest request, Instant now) {
        return claim(
                conn,
                new Claim(
                        request.lease().ownerId(),
                        now,
                        request.lockExpiry(now),
                        now.minus(request.skipRecent()),
                        request.after(),
                        request.types(),
                        request.limit(),
                        request.takenOver()));
    }

    /** What is to be claimed, and for whom; told how many of the events had a lock that has run out. */
    protected record Claim(
            String ownerId,
            Instant now,
            Instant lockExpiry,
            Instant createdBefore,
            OutboxEvent after,
            EventTypes types,
            int limit,
            IntConsumer takenOver) {

        protected Claim {
            now = now.truncatedTo(ChronoUnit.MICROS);
        }

        /** Returns the parameters of a statement: some at first, those of the condition, some at last. */
        Object[] params(List<?> first, Object... last) {
            List<Object> params = new ArrayList<>(first);
            params.addAll(List.of(now, createdBefore, lockExpiry));
            params.addAll(pageParams(after));
            params.addAll(types.names());
            params.addAll(List.of(last));
            return params.toArray();
        }
    }

    /** Returns the condition under which an event can be claimed, without that on its status. */
    protected static String claimCondition(Claim claim) {
        return " AND available_at <= ? AND created_at <= ? AND (locked_by IS NULL OR locked_at < ?)"
                + pageCondition(claim.after)
                + typeCondition(claim.types);
    }

    /**
     * Claims in two phases: reads the ids of events that can be claimed, then locks those that still can be. What two
     * nodes read at the same time only one of them gets.
     */
    protected List<OutboxEvent> claim(Connection conn, Claim claim) {
        return inTransaction(conn, () -> {
            List<OutboxEvent> claimable = claimable(conn, claim, "");
            if (claimable.isEmpty()) {
                return List.of();
            }
            IdList idList = IdList.of(claimable);
            String lock = "UPDATE " + updateTarget() + " SET locked_by = ?, locked_at = ? WHERE event_id IN "
                    + idList.sql() + " AND " + NOT_FINISHED
                    + " AND available_at <= ? AND (locked_by IS NULL OR locked_at < ?)";
            JdbcTemplate.update(
                    conn, lock, idList.params(List.of(claim.ownerId, claim.now), List.of(claim.now, claim.lockExpiry)));
            String read = "SELECT " + COLUMNS + " FROM " + tableName + " WHERE event_id IN " + idList.sql()
                    + " AND locked_by = ? AND locked_at = ?";
            return inOrderOfCreation(JdbcTemplate.query(
                    conn, read, this::mapRow, idList.params(List.of(), List.of(claim.ownerId, claim.now))));
        });
    }

    /** An event that can be claimed, and whether the lock of another has run out on it. */
    private record Candidate(OutboxEvent event, boolean locked) {}

    /** Returns the events to claim, the first in due order over all partitions. */
    protected final List<OutboxEvent> claimable(Connection conn, Claim claim, String locking) {
        List<Candidate> candidates = new ArrayList<>();
        for (String partition : pendingPartitions()) {
            String sql = "SELECT " + COLUMNS + ", locked_by FROM " + tableName + " WHERE " + partition
                    + claimCondition(claim) + " ORDER BY " + dueOrder(claim.types) + " LIMIT ?" + locking;
            candidates.addAll(JdbcTemplate.query(
                    conn,
                    sql,
                    row -> new Candidate(mapRow(row), row.getString("locked_by") != null),
                    claim.params(List.of(), claim.limit)));
        }
        List<Candidate> chosen = candidates.stream()
                .sorted(Comparator.comparing(Candidate::event, BY_DUE_TIME))
                .limit(claim.limit)
                .toList();
        claim.takenOver.accept((int) chosen.stream().filter(Candidate::locked).count());
        return chosen.stream().map(Candidate::event).toList();
    }

    protected static List<OutboxEvent> inOrderOfCreation(List<OutboxEvent> events) {
        return events.stream().sorted(BY_CREATION).toList();
    }

    @Override
    public Optional<Instant> nextDueAt(Connection conn, Instant now) {
        return pendingPartitions().stream()
                .map(partition -> JdbcTemplate.query(
                        conn,
                        "SELECT available_at FROM " + tableName + " WHERE " + partition + " AND available_at > ?"
                                + " ORDER BY " + dueOrder(EventTypes.ALL) + " LIMIT 1",
                        row -> JdbcTemplate.instant(row, "available_at"),
                        now))
                .flatMap(List::stream)
                .min(Comparator.naturalOrder());
    }

    @Override
    public List<PendingEvents> pending(Connection conn, Instant now) {
        return JdbcTemplate.query(
                conn,
                "SELECT event_type, COUNT(*) AS events, MIN(available_at) AS due FROM " + tableName
                        + " WHERE status IN (0, 2) AND available_at <= ? GROUP BY event_type ORDER BY event_type",
                row -> new PendingEvents(
                        row.getString("event_type"), row.getLong("events"), JdbcTemplate.instant(row, "due")),
                now);
    }

    @Override
    public List<EventCount> counts(Connection conn) {
        return JdbcTemplate.query(
                conn,
                "SELECT event_type, COUNT(*) AS events, COUNT(locked_by) AS locked FROM " + tableName
                        + " WHERE status IN (0, 2) GROUP BY event_type ORDER BY event_type",
                row -> new EventCount(
                        row.getString("event_type"),
                        row.getLong("events") - row.getLong("locked"),
                        row.getLong("locked")));
    }

    @Override
    public Instant currentTime(Connection conn) {
        return JdbcTemplate.query(conn, "SELECT " + utcNow() + " AS utc", row -> JdbcTemplate.instant(row, "utc"))
                .get(0);
    }

    // Transitions

    @Override
    public int markDone(Connection conn, String eventId) {
        return JdbcTemplate.update(
                conn,
                "UPDATE " + tableName + " SET status = 1, done_at = ?, locked_by = NULL, locked_at = NULL"
                        + " WHERE event_id = ? AND " + NOT_FINISHED,
                Instant.now(),
                eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return JdbcTemplate.update(
                conn,
                "UPDATE " + tableName + " SET status = 2, attempts = attempts + 1, available_at = ?, last_error = ?,"
                        + " locked_by = NULL, locked_at = NULL WHERE event_id = ? AND " + NOT_FINISHED,
                nextAt,
                Outcome.storable(error),
                eventId);
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return JdbcTemplate.update(
                conn,
                "UPDATE " + tableName + " SET status = 3, last_error = ?, locked_by = NULL, locked_at = NULL"
                        + " WHERE event_id = ? AND " + NOT_FINISHED,
                Outcome.storable(error),
                eventId);
    }

    @Override
    public int markDeferred(Connection conn, String eventId, Instant nextAt) {
        return JdbcTemplate.update(
                conn,
                "UPDATE " + tableName + " SET status = 0, available_at = ?, locked_by = NULL, locked_at = NULL"
                        + " WHERE event_id = ? AND " + NOT_FINISHED,
                nextAt,
                eventId);
    }

    @Override
    public Map<String, EventStatus> applyOutcomes(Connection conn, String ownerId, List<Outcome> batch) {
        OutcomeStatements outcomes = new OutcomeStatements(tableName, updateTarget());
        return outcomes.needTransaction(batch)
                ? inTransaction(conn, () -> outcomes.apply(conn, ownerId, batch))
                : repeating(conn, () -> outcomes.apply(conn, ownerId, batch));
    }

    // Ownership

    @Override
    public Set<String> renewLocks(Connection conn, String ownerId, Collection<String> eventIds) {
        Set<String> renewed = new HashSet<>();
        for (IdList ids : IdList.chunks(eventIds)) {
            String held = " WHERE event_id IN " + ids.sql() + " AND locked_by = ? AND " + NOT_FINISHED;
            Object[] params = ids.params(List.of(), List.of(ownerId));
            String renew = "UPDATE " + updateTarget() + " SET locked_at = " + utcNow() + held;
            int rows = repeating(conn, () -> JdbcTemplate.update(conn, renew, params));
            renewed.addAll(
                    rows == ids.size()
                            ? ids.ids()
                            : JdbcTemplate.query(
                                    conn, "SELECT event_id FROM " + tableName + held, row -> row.getString(1), params));
        }
        return renewed;
    }

    @Override
    public int releaseLocks(Connection conn, String ownerId, Collection<String> eventIds) {
        int released = 0;
        for (IdList ids : IdList.chunks(eventIds)) {
            String release = "UPDATE " + updateTarget() + " SET locked_by = NULL, locked_at = NULL WHERE event_id IN "
                    + ids.sql() + " AND locked_by = ? AND " + NOT_FINISHED;
            released +=
                    repeating(conn, () -> JdbcTemplate.update(conn, release, ids.params(List.of(), List.of(ownerId))));
        }
        return released;
    }

    // Dead events

    @Override
    public List<OutboxEvent> queryDead(Connection conn, String eventType, String aggregateType, int limit) {
        StringBuilder sql = new StringBuilder("SELECT " + COLUMNS + " FROM " + tableName + " WHERE status = 3");
        List<Object> params = new ArrayList<>();
        if (eventType != null) {
            sql.append(" AND event_type = ?");
            params.add(eventType);
        }
        if (aggregateType != null) {
            sql.append(" AND aggregate_type = ?");
            params.add(aggregateType);
        }
        params.add(limit);
        sql.append(" ORDER BY ").append(deadOrder()).append(" LIMIT ?");
        return JdbcTemplate.query(conn, sql.toString(), this::mapRow, params.toArray());
    }

    /** Returns the order of creation of dead events, which have no end time, in a form that an index serves. */
    protected String deadOrder() {
        return "status, done_at, created_at, event_id";
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return JdbcTemplate.update(
                conn,
                "UPDATE " + tableName + " SET status = 0, attempts = 0, available_at = ?, done_at = NULL,"
                        + " last_error = NULL, locked_by = NULL, locked_at = NULL WHERE event_id = ? AND status = 3",
                Instant.now(),
                eventId);
    }

    @Override
    public int countDead(Connection conn, String eventType) {
        String sql = "SELECT COUNT(*) FROM " + tableName + " WHERE status = 3";
        return eventType == null
                ? JdbcTemplate.query(conn, sql, row -> row.getInt(1)).get(0)
                : JdbcTemplate.query(conn, sql + " AND event_type = ?", row -> row.getInt(1), eventType)
                        .get(0);
    }

    /** Reads a row leniently: what is damaged in it is found when the event is decoded, and harms only that event. */
    protected OutboxEvent mapRow(ResultSet row) throws SQLException {
        return new OutboxEvent(
                row.getString("event_id"),
                row.getString("event_type"),
                row.getString("aggregate_type"),
                row.getString("aggregate_id"),
                row.getString("tenant_id"),
                row.getString("payload"),
                row.getString("headers"),
                row.getInt("attempts"),
                JdbcTemplate.instant(row, "created_at"),
                JdbcTemplate.instant(row, "available_at"));
    }

    // Transactions

    /** Called on an auto-commit connection before a statement or transaction of our own. */
    protected void beforeTransaction(Connection conn) {}

    /** Returns whether the failed transaction can simply be repeated. */
    protected boolean isDeadlock(SQLException e) {
        return "40001".equals(e.getSQLState()) || "40P01".equals(e.getSQLState());
    }

    /** Runs the work in the caller's transaction, or else in one of its own, again after a deadlock. */
    protected final <T> T inTransaction(Connection conn, Supplier<T> work) {
        return repeating(conn, () -> {
            try {
                return conn.getAutoCommit() ? inOwnTransaction(conn, work) : work.get();
            } catch (SQLException e) {
                throw new OutboxStoreException("Outbox transaction failed: " + e.getMessage(), e);
            }
        });
    }

    /** Runs the work, again after a deadlock unless that has ended a transaction of the caller's. */
    private <T> T repeating(Connection conn, Supplier<T> work) {
        boolean own = isAutoCommit(conn);
        for (int tries = 1; ; tries++) {
            try {
                if (own) {
                    beforeTransaction(conn);
                }
                return work.get();
            } catch (OutboxStoreException e) {
                boolean repeatable = e.getCause() instanceof SQLException cause && isDeadlock(cause);
                if (!own || !repeatable || tries > MAX_DEADLOCK_RETRIES) {
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

    private <T> T inOwnTransaction(Connection conn, Supplier<T> work) throws SQLException {
        conn.setAutoCommit(false);
        try {
            T result = work.get();
            conn.commit();
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            try {
                conn.rollback();
            } catch (SQLException rollbackFailure) {
                e.addSuppressed(rollbackFailure);
            }
            throw e;
        } finally {
            conn.setAutoCommit(true);
        }
    }
}
