package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.NodeLocks;
import io.outbox.model.OpenEvents;
import io.outbox.spi.EventTypes;
import io.outbox.spi.InspectionBackend.Open;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A look at open events that costs the same however many there are: at those that are due first, which nodes claim, and at those
 * that are due last, which have just been written. Each end is half of the window of a search.
 */
final class OpenWindow {

    /** The name makes it a table to databases that want one here. */
    private static final String END = """
            SELECT * FROM (SELECT {hint}event_id, event_type, available_at, locked_by, locked_at FROM {table}
              WHERE {partition} ORDER BY {order} LIMIT {most}) e{number}""";

    private static final String BY_TYPE = """
            SELECT event_type, COUNT(*) AS events, COUNT(locked_by) AS locked,
              COUNT(CASE WHEN available_at <= ? THEN 1 END) AS due,
              MIN(CASE WHEN available_at <= ? THEN available_at END) AS due_since
            FROM ({ends}) w GROUP BY event_type ORDER BY event_type""";

    private static final String NODES = """
            SELECT locked_by, COUNT(*) AS events, MIN(locked_at) AS oldest, MAX(locked_at) AS newest
            FROM ({ends}) w WHERE locked_by IS NOT NULL GROUP BY locked_by ORDER BY locked_by""";

    private static final int AT_EACH_END = JdbcInspection.WINDOW / 2;

    private final AbstractJdbcOutboxStore store;

    OpenWindow(AbstractJdbcOutboxStore store) {
        this.store = store;
    }

    Open byType(Connection conn, Instant now) {
        List<OpenEvents> types = store.statements()
                .query(
                        conn,
                        sql(BY_TYPE),
                        row -> new OpenEvents(
                                row.getString("event_type"),
                                row.getLong("events") - row.getLong("locked"),
                                row.getLong("locked"),
                                row.getLong("due"),
                                JdbcTemplate.instant(row, "due_since")),
                        now,
                        now);
        long seen = types.stream()
                .mapToLong(type -> type.pending() + type.inProcess())
                .sum();
        return new Open(types, seen < AT_EACH_END);
    }

    List<NodeLocks> nodes(Connection conn) {
        return store.statements()
                .query(
                        conn,
                        sql(NODES),
                        row -> new NodeLocks(
                                row.getString("locked_by"),
                                row.getLong("events"),
                                JdbcTemplate.instant(row, "oldest"),
                                JdbcTemplate.instant(row, "newest")));
    }

    /** Fills in both ends of each part of the table; an event at both is there once. */
    private String sql(String template) {
        List<Partition> ends = store.pendingPartitions(EventTypes.ALL).stream()
                .flatMap(part -> Stream.of(part, new Partition(part.condition(), reversed(part.order()), part.hint())))
                .toList();
        String union = ends.stream()
                .map(end -> end.fill(store.sql(END))
                        .with("most", String.valueOf(AT_EACH_END))
                        .with("number", String.valueOf(ends.indexOf(end)))
                        .toString())
                .collect(Collectors.joining(" UNION "));
        return store.sql(template).with("ends", union).toString();
    }

    private static String reversed(String order) {
        return order.replace(",", " DESC,") + " DESC";
    }
}
