package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.AuditEntry;
import io.outbox.model.EventStatus;
import io.outbox.model.Fingerprint;
import io.outbox.model.InspectedEvent;
import io.outbox.model.NodeLocks;
import io.outbox.model.OutboxEvent;
import io.outbox.model.StoreFigure;
import io.outbox.model.Tally;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.Lease;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What operators see of an outbox table.
 *
 * <p>A search walks down the primary key, over a window of at most {@value #WINDOW} rows. Events in states that few
 * events are in are read by the index of those states instead. Both need no index that delivery would have to keep.
 */
final class JdbcInspection implements InspectionBackend {

    /** The most rows that one search looks at. */
    static final int WINDOW = 20_000;

    /** The most payloads that one search looks into: each may have a megabyte. */
    static final int PAYLOADS = 500;

    /** The most events that one call reads to find those that failed alike. */
    static final int MOST_READ = 1_000;

    static final String NARROW = Rows.NARROW_COLUMNS + ", status, done_at, last_error, locked_by, locked_at";

    private static final String WALK = """
            SELECT {result} FROM (SELECT {narrow}{payload} FROM {table}{before} ORDER BY event_id DESC LIMIT {window}) w
            WHERE {filter}""";

    /** Behind one of the two searches. It is part of the statement before that is put into the words of a database. */
    private static final String PAGE = " ORDER BY event_id DESC LIMIT ?";

    private static final String WALK_END = """
            SELECT event_id FROM {table}{before} ORDER BY event_id DESC LIMIT 1 OFFSET {last}""";

    /** The inner limit is never reached; it keeps planners from walking down the key all the same. */
    private static final String FEW = """
            SELECT {result} FROM (SELECT {narrow} FROM {table} WHERE {states} LIMIT {window}) w
            WHERE {filter}{and_before}""";

    /** In the order of an index, so that what is not counted is not read either. */
    private static final String COUNT_STATES = """
            SELECT status, COUNT(*) AS events FROM (
              SELECT {hint}status FROM {table}{index} WHERE {partition} ORDER BY {order} LIMIT {most}) w
            GROUP BY status""";

    private static final Partition DONE = new Partition(List.of(EventStatus.DONE), "status, done_at, created_at");

    private static final String FIND = """
            SELECT {columns}, status, done_at, last_error, locked_by, locked_at FROM {table} WHERE event_id = ?""";

    private static final String RELEASE = """
            UPDATE {by_id} SET locked_by = NULL, locked_at = NULL WHERE event_id {among} AND {unfinished}""";

    private final ConnectionProvider provider;
    private final StoreConnections connections;
    private final AbstractJdbcOutboxStore store;
    private final AuditTable audits;

    JdbcInspection(ConnectionProvider provider, AbstractJdbcOutboxStore store) {
        this.provider = provider;
        this.connections = new StoreConnections(store, provider);
        this.store = store;
        this.audits = new AuditTable(store);
    }

    @Override
    public Found search(EventFilter filter, String after, int limit) {
        String fingerprint = filter.failure().fingerprint();
        return connections.readingLimited(conn -> fingerprint == null
                ? searchAny(conn, filter, after, limit)
                : alike(searchAny(conn, filter, after, MOST_READ), fingerprint, limit));
    }

    @Override
    public List<StoreFigure> figures() {
        return connections.limited(conn -> new DatabaseFigures(store, conn).ask(store.figures()));
    }

    @Override
    public Set<StoreFigure.Kind> figureKinds() {
        return store.figures().stream()
                .map(DatabaseFigures.Question::kind)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(StoreFigure.Kind.class)));
    }

    private Found searchAny(Connection conn, EventFilter filter, String after, int limit) {
        return isSearchedWhole(conn, filter) ? searchFew(conn, filter, after, limit) : walk(conn, filter, after, limit);
    }

    /** Returns those that failed alike: no row of the outbox table says which kind of failure it had. */
    private static Found alike(Found found, String fingerprint, int limit) {
        List<InspectedEvent> alike = found.events().stream()
                .filter(event -> Fingerprint.of(event.lastError()).equals(fingerprint))
                .toList();
        return alike.size() <= limit
                ? new Found(alike, found.next())
                : new Found(alike.subList(0, limit), last(alike.subList(0, limit)));
    }

    private boolean isSearchedWhole(Connection conn, EventFilter filter) {
        return filter.payload() == null && areFew(conn, filter.states());
    }

    /** Returns whether the parts of the table with these states can be read as a whole. */
    private boolean areFew(Connection conn, Set<EventStatus> states) {
        return !states.isEmpty()
                && !states.contains(EventStatus.DONE)
                && Stream.concat(store.openPartitions().stream(), store.deadPartitions().stream())
                        .filter(part -> part.states().stream().anyMatch(states::contains))
                        .allMatch(part -> part.count(conn, store, WINDOW) < WINDOW);
    }

    private Found searchFew(Connection conn, EventFilter filter, String after, int limit) {
        Conditions conditions = Conditions.of(filter);
        List<Object> params = new ArrayList<>(conditions.params());
        if (after != null) {
            params.add(after);
        }
        params.add(limit);
        List<InspectedEvent> events = few(FEW + PAGE, filter, conditions)
                .with("result", NARROW)
                .with("and_before", after == null ? "" : " AND event_id < ?")
                .query(conn, JdbcInspection::mapNarrow, params.toArray());
        return new Found(events, events.size() < limit ? null : last(events));
    }

    private Sql few(String template, EventFilter filter, Conditions conditions) {
        return sql(template)
                .with("states", Conditions.states(filter.states()).sql())
                .with("window", WINDOW)
                .with("filter", conditions.sql())
                .with("failure", store.failureSql());
    }

    private Found walk(Connection conn, EventFilter filter, String after, int limit) {
        Conditions conditions = Conditions.of(filter);
        List<Object> params = new ArrayList<>();
        if (after != null) {
            params.add(after);
        }
        params.addAll(conditions.params());
        params.add(limit);
        String before = after == null ? "" : " WHERE event_id < ?";
        List<InspectedEvent> events = walk(WALK + PAGE, filter, conditions, before)
                .with("result", NARROW)
                .query(conn, JdbcInspection::mapNarrow, params.toArray());
        return new Found(events, events.size() < limit ? windowEnd(conn, filter, before, after) : last(events));
    }

    private Sql walk(String template, EventFilter filter, Conditions conditions, String before) {
        return sql(template)
                .with("payload", filter.payload() == null ? "" : ", " + store.textOf("payload") + " AS payload")
                .with("before", before)
                .with("window", window(filter))
                .with("filter", conditions.sql())
                .with("failure", store.failureSql());
    }

    private static int window(EventFilter filter) {
        return filter.payload() == null ? WINDOW : PAYLOADS;
    }

    /** Returns the last id of the window, if it is full. */
    private String windowEnd(Connection conn, EventFilter filter, String before, String after) {
        Object[] params = after == null ? new Object[0] : new Object[] {after};
        return sql(WALK_END)
                .with("before", before)
                .with("last", window(filter) - 1)
                .first(conn, Sql.EVENT_ID, params)
                .orElse(null);
    }

    @Override
    public Tally count(EventFilter filter) {
        return connections.readingLimited(conn -> {
            String fingerprint = filter.failure().fingerprint();
            if (fingerprint != null) {
                Found found = alike(searchAny(conn, filter, null, MOST_READ), fingerprint, MOST_READ);
                return new Tally(found.events().size(), found.next() == null);
            }
            Conditions conditions = Conditions.of(filter);
            boolean few = isSearchedWhole(conn, filter);
            Sql sql = few ? few(FEW, filter, conditions).with("and_before", "") : walk(WALK, filter, conditions, "");
            int count = sql.with("result", "COUNT(*)")
                    .one(conn, row -> row.getInt(1), conditions.params().toArray());
            return new Tally(count, few || windowEnd(conn, filter, "", null) == null);
        });
    }

    private static String last(List<InspectedEvent> events) {
        return events.get(events.size() - 1).event().eventId();
    }

    @Override
    public Optional<InspectedEvent> find(String eventId) {
        return connections.readingLimited(conn -> sql(FIND).first(conn, this::mapWhole, eventId));
    }

    @Override
    public Map<EventStatus, Integer> countByState() {
        return connections.readingLimited(conn -> {
            Map<EventStatus, Integer> counts = new EnumMap<>(EventStatus.class);
            for (EventStatus state : EventStatus.values()) {
                counts.put(state, 0);
            }
            count(conn, store.openPartitions(), counts);
            count(conn, store.deadPartitions(), counts);
            count(conn, List.of(DONE), counts);
            return counts;
        });
    }

    private void count(Connection conn, List<Partition> partitions, Map<EventStatus, Integer> counts) {
        for (Partition partition : partitions) {
            partition
                    .fill(sql(COUNT_STATES))
                    .with("most", MOST_COUNTED)
                    .query(
                            conn,
                            row -> counts.merge(
                                    EventStatus.fromCode(row.getInt("status")), row.getInt("events"), Integer::sum));
        }
    }

    @Override
    public Open open(Instant now) {
        return connections.readingLimited(conn -> new OpenWindow(store).byType(conn, now));
    }

    @Override
    public List<NodeLocks> nodes() {
        return connections.readingLimited(conn -> new OpenWindow(store).nodes(conn));
    }

    @Override
    public int release(Collection<String> eventIds) {
        return connections.limited(conn ->
                store.inTransaction(conn, () -> sql(RELEASE).updateAmong(conn, IdList.sorted(eventIds))));
    }

    @Override
    public void prepareAudit() {
        audits.prepare(provider);
    }

    @Override
    public void audit(AuditEntry entry) {
        connections.limited(conn -> {
            audits.insert(conn, entry);
            return null;
        });
    }

    @Override
    public List<AuditEntry> audits(String before, int limit) {
        return connections.readingLimited(conn -> audits.latest(conn, before, limit));
    }

    @Override
    public Optional<ClusterBackend> cluster() {
        return JdbcCluster.of(store, provider);
    }

    private Sql sql(String template) {
        return store.sql(template).with("narrow", NARROW);
    }

    private InspectedEvent mapWhole(ResultSet row) throws SQLException {
        return inspected(store.mapRow(row), row);
    }

    static InspectedEvent mapNarrow(ResultSet row) throws SQLException {
        return inspected(Rows.narrowEvent(row), row);
    }

    private static InspectedEvent inspected(OutboxEvent event, ResultSet row) throws SQLException {
        String node = Lease.nodeOf(row.getString("locked_by"));
        return new InspectedEvent(
                event,
                EventStatus.fromCode(row.getInt("status")),
                JdbcTemplate.instant(row, "done_at"),
                row.getString("last_error"),
                node == null ? null : new InspectedEvent.Lock(node, JdbcTemplate.instant(row, "locked_at")));
    }
}
