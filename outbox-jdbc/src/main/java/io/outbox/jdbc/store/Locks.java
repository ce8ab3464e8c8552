package io.outbox.jdbc.store;

import java.sql.Connection;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Renews and releases the locks of an owner, each list of ids in a transaction of its own. */
final class Locks {

    private static final String RENEW = """
            UPDATE {by_id} SET locked_at = {now} WHERE event_id IN {ids} AND locked_by = ? AND {unfinished}""";

    private static final String HELD = """
            SELECT event_id FROM {by_id} WHERE event_id IN {ids} AND locked_by = ? AND {unfinished}""";

    private static final String RELEASE = """
            UPDATE {by_id} SET locked_by = NULL, locked_at = NULL
            WHERE event_id IN {ids} AND locked_by = ? AND {unfinished}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    Locks(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    Set<String> renew(String ownerId, Collection<String> eventIds) {
        Set<String> renewed = new HashSet<>();
        for (IdList ids : IdList.chunks(eventIds)) {
            int rows = update(RENEW, ownerId, ids);
            renewed.addAll(rows == ids.size() ? ids.ids() : held(ownerId, ids));
        }
        return renewed;
    }

    private List<String> held(String ownerId, IdList ids) {
        String sql = store.sql(HELD).with("ids", ids.sql()).toString();
        Object[] params = ids.params(List.of(), List.of(ownerId));
        return store.reading(conn, () -> store.statements().query(conn, sql, row -> row.getString("event_id"), params));
    }

    int release(String ownerId, Collection<String> eventIds) {
        return IdList.chunks(eventIds).stream()
                .mapToInt(ids -> update(RELEASE, ownerId, ids))
                .sum();
    }

    private int update(String template, String ownerId, IdList ids) {
        String sql = store.sql(template).with("ids", ids.sql()).toString();
        Object[] params = ids.params(List.of(), List.of(ownerId));
        return store.repeating(conn, () -> store.statements().update(conn, sql, params));
    }
}
