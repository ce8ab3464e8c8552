package io.outbox.jdbc.store;

import java.sql.Connection;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Renews and releases the locks of a holder, each list of ids in a transaction of its own. */
final class Locks {

    private static final String RENEW = """
            UPDATE {by_id} SET locked_at = {now} WHERE {briefly}event_id {among} AND {unfinished}{fence}""";

    private static final String HELD = """
            SELECT event_id FROM {by_id} WHERE event_id {among} AND {unfinished}{fence}""";

    private static final String RELEASE = """
            UPDATE {by_id} SET locked_by = NULL, locked_at = NULL
            WHERE {briefly}event_id {among} AND {unfinished}{fence}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;
    private final Fence fence;
    private final RowChange change;

    Locks(AbstractJdbcOutboxStore store, Connection conn, String holder) {
        this.store = store;
        this.conn = conn;
        this.fence = Fence.of(holder);
        this.change = new RowChange(store, conn, fence);
    }

    Set<String> renew(Collection<String> eventIds) {
        Set<String> renewed = new HashSet<>();
        for (IdList ids : store.idLists(eventIds)) {
            int rows = update(RENEW, ids);
            renewed.addAll(rows == ids.size() ? ids.ids() : held(ids));
        }
        return renewed;
    }

    private List<String> held(IdList ids) {
        Object[] params = ids.params(List.of(), fence.params());
        return store.reading(conn, () -> sql(HELD, ids).query(conn, Sql.EVENT_ID, params));
    }

    int release(Collection<String> eventIds) {
        return store.idLists(eventIds).stream()
                .mapToInt(ids -> update(RELEASE, ids))
                .sum();
    }

    private int update(String template, IdList ids) {
        return change.inOneStatement(Set.copyOf(ids.ids()), free -> update(template, free));
    }

    private int update(String template, Set<String> eventIds) {
        int rows = 0;
        for (IdList ids : store.idLists(eventIds)) {
            rows += sql(template, ids).update(conn, ids.params(List.of(), fence.params()));
        }
        return rows;
    }

    private Sql sql(String template, IdList ids) {
        return fence.fill(store.sql(template))
                .with("briefly", store.waitingBriefly(conn))
                .with("among", ids.among());
    }
}
