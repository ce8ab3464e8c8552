package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.NodeLocks;
import io.outbox.model.OpenEvents;
import io.outbox.spi.InspectionBackend.Open;
import io.outbox.spi.Lease;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A look at open events that costs the same however many there are. Of a part of the table that has more than {@value
 * #MOST_WHOLE}, those that are due first are looked at, which nodes claim, and those that are due last, which have just
 * been written. Each end is half of the window of a search.
 */
final class OpenWindow {

    private static final int AT_EACH_END = JdbcInspection.WINDOW / 2;

    /** More than both ends have, so that they do not meet while events are delivered between two statements. */
    static final int MOST_WHOLE = JdbcInspection.WINDOW + JdbcInspection.WINDOW / 10;

    /** The name makes it a table to databases that want one here. */
    private static final String LOOK = """
            SELECT * FROM (SELECT event_type, available_at, locked_by, locked_at FROM {table}{index}
              WHERE {partition} ORDER BY {order} LIMIT {most}) e{number}""";

    private static final String BY_TYPE = """
            SELECT event_type, COUNT(*) AS events, COUNT(locked_by) AS locked,
              COUNT(CASE WHEN available_at <= ? THEN 1 END) AS due,
              MIN(CASE WHEN available_at <= ? THEN available_at END) AS due_since
            FROM ({looks}) w GROUP BY event_type ORDER BY event_type""";

    private static final String NODES = """
            SELECT locked_by, COUNT(*) AS events, MIN(locked_at) AS oldest, MAX(locked_at) AS newest
            FROM ({looks}) w WHERE locked_by IS NOT NULL GROUP BY locked_by ORDER BY locked_by""";

    private final AbstractJdbcOutboxStore store;

    OpenWindow(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    /** A look at one end of a part of the table, or at all of it. */
    private record Look(Partition part, int most) {

        static Stream<Look> all(Partition part) {
            return Stream.of(new Look(part, MOST_WHOLE));
        }

        static Stream<Look> ends(Partition part) {
            return Stream.of(part, part.reversed()).map(end -> new Look(end, AT_EACH_END));
        }

        boolean isWhole() {
            return most == MOST_WHOLE;
        }

        Sql fill(Sql sql) {
            return part.fill(sql).with("most", most);
        }
    }

    Open byType(Connection conn, Instant now) {
        List<Look> looks = looks(conn);
        List<OpenEvents> types = sql(BY_TYPE, looks)
                .query(
                        conn,
                        row -> new OpenEvents(
                                row.getString("event_type"),
                                row.getLong("events") - row.getLong("locked"),
                                row.getLong("locked"),
                                row.getLong("due"),
                                JdbcTemplate.instant(row, "due_since")),
                        now,
                        now);
        return new Open(types, looks.stream().allMatch(Look::isWhole));
    }

    /** Returns what each node holds, under whichever tokens. */
    List<NodeLocks> nodes(Connection conn) {
        Map<String, NodeLocks> byNode = new TreeMap<>();
        sql(NODES, looks(conn))
                .query(
                        conn,
                        row -> new NodeLocks(
                                Lease.nodeOf(row.getString("locked_by")),
                                row.getLong("events"),
                                JdbcTemplate.instant(row, "oldest"),
                                JdbcTemplate.instant(row, "newest")))
                .forEach(locks -> byNode.merge(locks.node(), locks, OpenWindow::together));
        return List.copyOf(byNode.values());
    }

    private static NodeLocks together(NodeLocks a, NodeLocks b) {
        return new NodeLocks(
                a.node(),
                a.events() + b.events(),
                a.oldest().isBefore(b.oldest()) ? a.oldest() : b.oldest(),
                a.newest().isAfter(b.newest()) ? a.newest() : b.newest());
    }

    private List<Look> looks(Connection conn) {
        return store.openPartitions().stream()
                .flatMap(part -> part.count(conn, store, MOST_WHOLE) < MOST_WHOLE ? Look.all(part) : Look.ends(part))
                .toList();
    }

    private Sql sql(String template, List<Look> looks) {
        String union = looks.stream()
                .map(look -> look.fill(store.sql(LOOK))
                        .with("number", looks.indexOf(look))
                        .toString())
                .collect(Collectors.joining(" UNION ALL "));
        return store.sql(template).with("looks", union);
    }
}
