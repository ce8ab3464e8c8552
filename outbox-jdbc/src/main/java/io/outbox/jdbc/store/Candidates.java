package io.outbox.jdbc.store;

import io.outbox.jdbc.store.PageLimit.Cut;
import io.outbox.jdbc.store.PageLimit.Sized;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The first pending events of a range in due order, without their contents and without a lock. Each part of the table
 * that a range of an index holds, as the events of one type, is read in its own order, and the parts are merged.
 *
 * <p>Of many parts only the first few events are read of each, so that all together are not much more than the page.
 * What lies behind the end of a part that has more is not known then, and left to the next page.
 *
 * @param first the events, in due order
 * @param next where the next ones begin, or {@code null} if these are the last
 */
record Candidates(List<DueCursor> first, DueCursor next) {

    /** How many pages are read of all parts together, at most. */
    private static final int PAGES = 4;

    private static final int FEWEST_OF_A_PART = 20;

    private static final String OF_PART = """
            SELECT {place} AS place, event_id, available_at, created_at, {bytes} AS bytes
            FROM {table}{index}
            WHERE {partition} AND {due}{more} ORDER BY {order} LIMIT {most}""";

    List<String> ids() {
        return first.stream().map(DueCursor::eventId).sorted().toList();
    }

    /** Reads the first events. */
    static Candidates read(AbstractJdbcOutboxStore store, Connection conn, DueRange range, PageLimit limit) {
        return read(store, conn, range, "", List.of(), limit);
    }

    /** Reads the first events that nobody holds. */
    static Candidates readFree(AbstractJdbcOutboxStore store, Connection conn, Claim claim) {
        Claim.Free free = store.takesArrays() ? claim.free().times(selects(store, claim)) : claim.free();
        return read(store, conn, claim.range(), " AND " + free.condition(), free.params(), claim.limit());
    }

    /** Where the database takes arrays, all of these are one statement; elsewhere each is one by itself. */
    private static int selects(AbstractJdbcOutboxStore store, Claim claim) {
        return store.parts(claim.range()).stream()
                .mapToInt(part -> store.pendingPartitions(part.types()).size())
                .sum();
    }

    private static Candidates read(
            AbstractJdbcOutboxStore store,
            Connection conn,
            DueRange range,
            String more,
            List<?> moreParams,
            PageLimit limit) {
        List<DueRange> parts = store.parts(range);
        int most = Math.min(limit.count(), Math.max(FEWEST_OF_A_PART, PAGES * limit.count() / parts.size()));
        List<Select> selects = new ArrayList<>();
        for (DueRange part : parts) {
            DueCondition due = store.due(part);
            for (Partition partition : store.pendingPartitions(part.types())) {
                String sql = partition
                        .fill(store.sql(OF_PART))
                        .with("place", String.valueOf(selects.size()))
                        .with("due", due.sql())
                        .with("more", more)
                        .with("most", store.limit(String.valueOf(most)))
                        .toString();
                selects.add(new Select(sql, due.params(moreParams.toArray())));
            }
        }
        List<Found> found = store.readAll(conn, selects, Found::of);
        return merge(found, most, limit);
    }

    /** A candidate, and of which part it is. */
    private record Found(int place, Sized<DueCursor> event) {

        static Found of(ResultSet row) throws SQLException {
            return new Found(row.getInt("place"), Sized.of(DueCursor.of(row), row));
        }

        DueCursor cursor() {
            return event.item();
        }
    }

    private static Candidates merge(List<Found> found, int most, PageLimit limit) {
        Map<Integer, List<DueCursor>> parts = new HashMap<>();
        found.forEach(one ->
                parts.computeIfAbsent(one.place, place -> new ArrayList<>()).add(one.cursor()));
        DueCursor known = parts.values().stream()
                .filter(part -> part.size() == most)
                .map(Collections::max)
                .min(Comparator.naturalOrder())
                .orElse(null);
        Cut<DueCursor> page = limit.cut(found.stream()
                .filter(one -> known == null || one.cursor().compareTo(known) <= 0)
                .sorted(Comparator.comparing(Found::cursor))
                .map(Found::event)
                .toList());
        List<DueCursor> first = page.items();
        boolean hasMore = known != null || page.isFull();
        return new Candidates(first, hasMore ? first.get(first.size() - 1) : null);
    }
}
