package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.store.PageLimit.Cut;
import io.outbox.jdbc.store.PageLimit.Sized;
import io.outbox.model.EventCount;
import io.outbox.model.PendingEvents;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reads pending events without locking them: pages, the first and the next due time, counts. */
final class DuePages {

    private static final String PAGE = """
            SELECT {columns}, last_error, locked_by, locked_at, {bytes} AS bytes FROM {table}{index}
            WHERE {partition} AND {due} ORDER BY {order} LIMIT {page_size}""";

    private static final String BY_ID = """
            SELECT {columns}, last_error, locked_by, locked_at FROM {by_id} WHERE event_id {among} AND {unfinished}""";

    private static final String FIRST_DUE = """
            SELECT available_at FROM {table}{index} WHERE {partition} AND available_at <= ? ORDER BY {order} LIMIT 1""";

    private static final String NEXT_DUE = """
            SELECT available_at FROM {table}{index} WHERE {partition} AND available_at > ? ORDER BY {order} LIMIT 1""";

    private static final String PENDING = """
            SELECT event_type, COUNT(*) AS events, MIN(available_at) AS due FROM {table}
            WHERE status IN (0, 2) AND available_at <= ? GROUP BY event_type ORDER BY event_type""";

    private static final String COUNTS = """
            SELECT event_type, COUNT(*) AS events, COUNT(locked_by) AS locked FROM {table}
            WHERE status IN (0, 2) GROUP BY event_type ORDER BY event_type""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    DuePages(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** Reads the first events of a range; those of one page stand in order of creation. */
    Page<DueEvent> read(DueRange range, PageLimit limit, JdbcTemplate.RowMapper<DueEvent> mapper) {
        return store.parts(range).size() == 1 ? readPart(range, limit, mapper) : readParts(range, limit, mapper);
    }

    private Page<DueEvent> readParts(DueRange range, PageLimit limit, JdbcTemplate.RowMapper<DueEvent> mapper) {
        Candidates candidates = Candidates.read(store, conn, range, limit);
        List<DueEvent> page = store.sql(BY_ID).queryAmong(conn, store.idLists(candidates.ids()), mapper);
        return new Page<>(inOrderOfCreation(page), candidates.next());
    }

    private Page<DueEvent> readPart(DueRange range, PageLimit limit, JdbcTemplate.RowMapper<DueEvent> mapper) {
        List<Sized<DueEvent>> found = new ArrayList<>();
        DueCondition due = store.due(range);
        for (Partition partition : store.pendingPartitions(range.types())) {
            String sql = partition.fill(store.sql(PAGE)).with("due", due.sql()).toString();
            found.addAll(store.readDue(conn, sql, due.params(limit.count()), limit, mapper));
        }
        found.sort((one, other) ->
                DueCursor.compare(one.item().event(), other.item().event()));
        Cut<DueEvent> page = limit.cut(found);
        DueCursor next = page.isFull()
                ? DueCursor.of(page.items().get(page.items().size() - 1).event())
                : null;
        return new Page<>(inOrderOfCreation(page.items()), next);
    }

    static List<DueEvent> inOrderOfCreation(List<DueEvent> events) {
        List<DueEvent> ordered = new ArrayList<>(events);
        ordered.sort((one, other) -> DueCursor.compareCreation(one.event(), other.event()));
        return ordered;
    }

    /** Looks up the first entry of the index for pending events, however many follow. */
    Optional<Instant> oldestDueAt(Instant now) {
        return first(FIRST_DUE, now);
    }

    Optional<Instant> nextDueAt(Instant now) {
        return first(NEXT_DUE, now);
    }

    /** Asks all parts in one statement, as this is all that is asked while nothing happens. */
    private Optional<Instant> first(String template, Instant now) {
        Select all = Select.union(store.pendingPartitions(EventTypes.ALL).stream()
                .map(partition -> new Select(partition.fill(store.sql(template)).toString(), List.of(now)))
                .toList());
        return store
                .statements()
                .query(
                        conn,
                        all.sql(),
                        row -> JdbcTemplate.instant(row, "available_at"),
                        all.params().toArray())
                .stream()
                .min(Comparator.naturalOrder());
    }

    List<PendingEvents> pending(Instant now) {
        return store.sql(PENDING)
                .query(
                        conn,
                        row -> new PendingEvents(
                                row.getString("event_type"), row.getLong("events"), JdbcTemplate.instant(row, "due")),
                        now);
    }

    List<EventCount> counts() {
        return store.sql(COUNTS)
                .query(
                        conn,
                        row -> new EventCount(
                                row.getString("event_type"),
                                row.getLong("events") - row.getLong("locked"),
                                row.getLong("locked")));
    }
}
