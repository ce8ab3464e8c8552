package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.Fingerprint;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadEventCapability;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The dead events of an outbox table: they stay where they died, as DEAD, which is MOVED here. No row says when it
 * failed or which kind of failure it had, so kinds of failure are found by reading up to {@value
 * JdbcInspection#MOST_READ} events.
 */
final class JdbcDeadEvents implements DeadEventBackend {

    private static final String FIND =
            "SELECT {columns}, last_error FROM {by_id} WHERE event_id {among} AND status > 2 ORDER BY event_id{lock}";

    private static final String LATEST =
            "SELECT {hint}{narrow} FROM {table} WHERE {partition} ORDER BY {order} LIMIT ?";

    private static final String DELETE = "{delete_by_id} WHERE event_id {among} AND status > 2";

    private static final String SETTLE = """
            UPDATE {by_id} SET status = 1, done_at = {now}, last_error = ? WHERE event_id = ? AND status > 2""";

    private final StoreConnections connections;
    private final AbstractJdbcOutboxStore store;
    private final DeadWalk walk;

    JdbcDeadEvents(ConnectionProvider connections, AbstractJdbcOutboxStore store) {
        this.connections = new StoreConnections(store, connections);
        this.store = store;
        this.walk = new DeadWalk(store, this::sql, JdbcDeadEvents::mapNarrow);
    }

    @Override
    public Set<DeadEventCapability> capabilities() {
        return Set.of();
    }

    @Override
    public Optional<DeadLetterBackend> queue() {
        return Optional.empty();
    }

    @Override
    public List<DeadLetter> find(Collection<String> eventIds) {
        return connections.readingLimited(conn -> read(conn, eventIds, ""));
    }

    private List<DeadLetter> read(Connection conn, Collection<String> eventIds, String lock) {
        return sql(FIND).with("lock", lock).queryAmong(conn, IdList.sorted(eventIds), this::mapWhole);
    }

    @Override
    public Page<DeadLetter> query(DeadLetterQuery query) {
        String fingerprint = query.filter().events().failure().fingerprint();
        if (fingerprint == null) {
            return connections.readingLimited(conn -> read(conn, query, query.limit()));
        }
        Page<DeadLetter> any = connections.readingLimited(conn -> read(conn, query, JdbcInspection.MOST_READ));
        List<DeadLetter> alike = alike(any, fingerprint);
        if (alike.size() <= query.limit()) {
            return new Page<>(alike, any.next());
        }
        return new Page<>(
                alike.subList(0, query.limit()),
                DeadCursor.of(alike.get(query.limit() - 1).event()));
    }

    private Page<DeadLetter> read(Connection conn, DeadLetterQuery query, int limit) {
        DeadOrder order = DeadOrder.of(query);
        List<DeadRange> ranges = ranges(query.filter(), order, order.start(query.after()));
        return walk.read(conn, order, ranges, JdbcInspection.WINDOW, limit);
    }

    /** Returns where dead events are that match but for their kind of failure; nowhere in a state that none has. */
    private List<DeadRange> ranges(DeadLetterFilter filter, DeadOrder order, DeadCursor after) {
        return filter.status() != null && filter.status() != DlqStatus.MOVED
                ? List.of()
                : store.deadPartitions().stream()
                        .map(partition -> DeadRange.ofEvents(filter.events(), partition, order, after))
                        .toList();
    }

    private static List<DeadLetter> alike(Page<DeadLetter> dead, String fingerprint) {
        return dead.items().stream()
                .filter(each -> each.failure().fingerprint().equals(fingerprint))
                .toList();
    }

    @Override
    public String encode(PageCursor cursor) {
        return DeadCursor.from(cursor).text();
    }

    @Override
    public PageCursor decode(String cursor) {
        return DeadCursor.parse(cursor);
    }

    @Override
    public Tally count(DeadLetterFilter filter) {
        String fingerprint = filter.events().failure().fingerprint();
        if (fingerprint == null) {
            return connections.readingLimited(
                    conn -> walk.tally(conn, ranges(filter, DeadOrder.OLDEST_FIRST, null), JdbcInspection.WINDOW));
        }
        Page<DeadLetter> any = connections.readingLimited(
                conn -> read(conn, DeadLetterQuery.matching(filter, 1), JdbcInspection.MOST_READ));
        return new Tally(alike(any, fingerprint).size(), any.next() == null);
    }

    @Override
    public Map<DlqStatus, Long> countByState(int most) {
        Map<DlqStatus, Long> counts = new EnumMap<>(DlqStatus.class);
        for (DlqStatus status : DlqStatus.values()) {
            counts.put(status, 0L);
        }
        long dead = connections.readingLimited(conn -> store.deadPartitions().stream()
                .mapToLong(partition -> partition.count(conn, store, most))
                .sum());
        counts.put(DlqStatus.MOVED, Math.min(most, dead));
        return counts;
    }

    /** What the events of a group have in common. */
    private record Kind(String eventType, String fingerprint) {

        static Kind of(DeadLetter dead) {
            return new Kind(dead.event().eventType(), dead.failure().fingerprint());
        }

        /** @param events those of this kind, the last first */
        FailureGroup group(List<DeadLetter> events, boolean exact) {
            DeadLetter last = events.get(0);
            return new FailureGroup(
                    eventType,
                    fingerprint,
                    events.size(),
                    exact,
                    events.get(events.size() - 1).event().createdAt(),
                    last.event().createdAt(),
                    last.failure().error(),
                    null);
        }
    }

    /** Groups the latest events. */
    @Override
    public List<FailureGroup> groups(int limit) {
        List<DeadLetter> latest = connections.readingLimited(conn -> latest(conn, JdbcInspection.MOST_READ));
        boolean exact = latest.size() < JdbcInspection.MOST_READ;
        return latest.stream()
                .collect(Collectors.groupingBy(Kind::of, LinkedHashMap::new, Collectors.toList()))
                .entrySet()
                .stream()
                .map(group -> group.getKey().group(group.getValue(), exact))
                .sorted(Comparator.comparingLong(FailureGroup::count).reversed())
                .limit(limit)
                .toList();
    }

    private List<DeadLetter> latest(Connection conn, int limit) {
        return store.deadPartitions().stream()
                .map(part -> part.reversed().fill(sql(LATEST)))
                .flatMap(sql -> sql.query(conn, JdbcDeadEvents::mapNarrow, limit).stream())
                .sorted(DeadWalk.IN_ORDER.reversed())
                .limit(limit)
                .toList();
    }

    @Override
    public List<FailedAttempt> attempts(String eventId) {
        return List.of();
    }

    @Override
    public DeadLetterChange returnToOutbox(Collection<String> eventIds) {
        return changeAll(eventIds, (conn, all) -> new DeadRows(store, conn).replay(ids(all)));
    }

    /** Leaves the original DONE, which is the only end that it can have here and not be dead. */
    @Override
    public DeadLetterChange replace(String eventId, EventEnvelope replacement, String changedBy) {
        return changeAll(List.of(eventId), (conn, all) -> {
            store.insertNew(conn, replacement);
            String error = all.get(0).failure().error();
            String remark = "Not delivered: written again as " + replacement.eventId()
                    + (error == null ? "" : ". Before: " + error);
            sql(SETTLE).update(conn, remark, eventId);
        });
    }

    @Override
    public DeadLetterChange delete(Collection<String> eventIds) {
        return changeAll(eventIds, (conn, all) -> sql(DELETE).updateAmong(conn, IdList.chunks(ids(all))));
    }

    private static List<String> ids(List<DeadLetter> all) {
        return all.stream().map(DeadLetter::eventId).toList();
    }

    /** Locks all events, and changes all of them if all of them are dead. */
    private DeadLetterChange changeAll(Collection<String> eventIds, BiConsumer<Connection, List<DeadLetter>> change) {
        return connections.inTransaction(conn -> {
            List<DeadLetter> all = read(conn, eventIds, store.waitLocking());
            Set<String> missing = new HashSet<>(eventIds);
            ids(all).forEach(missing::remove);
            if (!missing.isEmpty()) {
                return DeadLetterChange.notMade(missing, Map.of());
            }
            change.accept(conn, all);
            return DeadLetterChange.made(all);
        });
    }

    private Sql sql(String template) {
        return store.sql(template)
                .with("source", store.tableName())
                .with("narrow", Rows.NARROW_COLUMNS + ", last_error");
    }

    private DeadLetter mapWhole(ResultSet row) throws SQLException {
        return dead(store.mapRow(row), row);
    }

    private static DeadLetter mapNarrow(ResultSet row) throws SQLException {
        return dead(Rows.narrowEvent(row), row);
    }

    private static DeadLetter dead(OutboxEvent event, ResultSet row) throws SQLException {
        String error = row.getString("last_error");
        return new DeadLetter(
                event,
                new DeadLetter.State(DlqStatus.MOVED, null, null, null),
                new DeadLetter.Failure(error, Fingerprint.of(error), null, null));
    }
}
