package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Looks which event types have pending events, and since when, in the index by type.
 *
 * <p>Types that are known are looked up, each from the time on that the caller says. Types that are not stand in the
 * gaps between known ones, in the order of the index, and the first entry of a gap is one. So a look never comes near
 * what is finished of a known type and still in the index, and it is one statement unless there is something new; each
 * type that is new leaves two gaps to look at again.
 */
final class TypeLook {

    /** More types than that are not looked for. */
    private static final int MOST_TYPES = 1000;

    /** How many events are read to tell of their types where there is no index by type. */
    private static final int FIRST = 1000;

    private static final String FIRST_OF_TYPE = """
            SELECT {place} AS place, event_type, available_at FROM {table}{index}
            WHERE {partition} AND {due} ORDER BY {order} LIMIT 1""";

    private static final String FIRST_OF_GAP = """
            SELECT {place} AS place, event_type, available_at FROM {table}{index}
            WHERE {partition} AND {between} ORDER BY {order} LIMIT 1""";

    private static final String FIRST_OF_ALL = """
            SELECT event_type, available_at FROM {table}{index} WHERE {partition} AND available_at >= ?
            ORDER BY {order} LIMIT {page_size}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    TypeLook(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** What stands between two types; {@code null} is the end. */
    private record Gap(String above, String below) {}

    /** Where a look found a type: at a type or a gap, by its place in the statement. */
    private record Found(int place, DueType type) {}

    /** Looks at all types, with an index by type. */
    DueTypes all(List<DueType> known) {
        Map<String, Instant> first = new LinkedHashMap<>();
        List<String> names = new ArrayList<>();
        known.forEach(type -> names.add(type.eventType()));
        List<DueType> types = known;
        List<Gap> gaps = IntStream.rangeClosed(0, known.size())
                .mapToObj(i -> new Gap(i == 0 ? "" : names.get(i - 1), i == names.size() ? null : names.get(i)))
                .toList();
        while (!gaps.isEmpty()) {
            Map<Integer, String> inGap = new LinkedHashMap<>();
            for (Found found : look(types, gaps)) {
                if (found.place < types.size()) {
                    first.merge(found.type.eventType(), found.type.due(), (a, b) -> a.isBefore(b) ? a : b);
                } else {
                    inGap.putIfAbsent(found.place - types.size(), found.type.eventType());
                }
            }
            types = inGap.values().stream()
                    .map(name -> new DueType(name, AbstractJdbcOutboxStore.BEFORE_ALL))
                    .toList();
            gaps = split(gaps, inGap, names);
            if (names.size() > MOST_TYPES) {
                return DueTypes.UNKNOWN;
            }
        }
        return new DueTypes(
                names.stream().map(name -> new DueType(name, first.get(name))).toList(), true);
    }

    /** Puts what was found into its place among the names; returns the gaps that it leaves on both sides. */
    private static List<Gap> split(List<Gap> gaps, Map<Integer, String> inGap, List<String> names) {
        List<Gap> left = new ArrayList<>();
        inGap.forEach((i, name) -> {
            Gap gap = gaps.get(i);
            names.add(gap.below == null ? names.size() : names.indexOf(gap.below), name);
            left.add(new Gap(gap.above, name));
            left.add(new Gap(name, gap.below));
        });
        return left;
    }

    /** Looks at all in one statement, as this is done whenever a walk begins. */
    private List<Found> look(List<DueType> types, List<Gap> gaps) {
        List<Select> selects = new ArrayList<>();
        for (Partition partition : store.pendingPartitions(EventTypes.only(""))) {
            for (int i = 0; i < types.size(); i++) {
                DueCondition due = store.due(DueRange.from(types.get(i)));
                Sql sql = select(partition, FIRST_OF_TYPE, i).with("due", due.sql());
                selects.add(new Select(sql.toString(), due.params()));
            }
            for (int i = 0; i < gaps.size(); i++) {
                DueCondition between = store.between(gaps.get(i).above, gaps.get(i).below);
                Sql sql = select(partition, FIRST_OF_GAP, types.size() + i).with("between", between.sql());
                selects.add(new Select(sql.toString(), between.params()));
            }
        }
        Select all = Select.union(selects);
        return store.statements()
                .query(
                        conn,
                        all.sql(),
                        row -> new Found(row.getInt("place"), typeOf(row)),
                        all.params().toArray());
    }

    private static DueType typeOf(ResultSet row) throws SQLException {
        return new DueType(row.getString("event_type"), JdbcTemplate.instant(row, "available_at"));
    }

    private Sql select(Partition partition, String template, int place) {
        return partition.fill(store.sql(template)).with("place", place);
    }

    /** Looks at the first events of all types, where there is no index by type. */
    DueTypes some(Instant from) {
        List<Select> selects = store.pendingPartitions(EventTypes.ALL).stream()
                .map(partition ->
                        new Select(partition.fill(store.sql(FIRST_OF_ALL)).toString(), List.of(from, FIRST)))
                .toList();
        return DueTypes.of(store.readAll(conn, selects, TypeLook::typeOf), false);
    }
}
