package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.FailureGroup;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Groups of letters that failed alike.
 *
 * <p>They are found by going from each to the next one in the index, so that a group costs a look-up however many letters it has.
 * Counting is what is left, and stops where that would take long: all groups together are counted up to
 * {@value #MOST_COUNTED} letters, and each up to {@value #LEAST_COUNTED} in any case.
 */
final class FailureGroups {

    /** The most groups that are looked at. */
    static final int MOST_GROUPS = 1_000;

    static final int MOST_COUNTED = 50_000;
    static final int LEAST_COUNTED = 500;

    private static final String NEXT_TYPE = """
            SELECT event_type FROM {letters} WHERE status = 0 AND event_type {follows} ?
            ORDER BY status, event_type, created_at, event_id LIMIT 1""";

    private static final String NEXT_FINGERPRINT = """
            SELECT fingerprint FROM {letters} WHERE status = 0 AND event_type = ? AND fingerprint {follows} ?
            ORDER BY status, event_type, fingerprint, created_at, event_id LIMIT 1""";

    /** A letter has no type only if its row in the outbox had none, which is rare. */
    private static final String WITHOUT_TYPE = """
            SELECT DISTINCT fingerprint FROM {letters} WHERE status = 0 AND event_type IS NULL
            ORDER BY fingerprint LIMIT {groups}""";

    private static final String GROUP = """
            SELECT (SELECT COUNT(*) FROM (SELECT 1 AS one FROM {letters} WHERE {alike} LIMIT {most}) w) AS letters,
              (SELECT MIN(first_failed_at) FROM {letters} WHERE {alike}) AS first_at,
              (SELECT MAX(last_failed_at) FROM {letters} WHERE {alike}) AS last_at,
              (SELECT last_error FROM {letters} WHERE {alike}
                ORDER BY status, event_type, fingerprint, created_at, event_id LIMIT 1) AS error""";

    private static final String ALIKE = "status = 0 AND event_type = ? AND fingerprint = ?";
    private static final String ALIKE_WITHOUT_TYPE = "status = 0 AND event_type IS NULL AND fingerprint = ?";

    private final AbstractJdbcOutboxStore store;
    private final DeadLetterTable letters;

    FailureGroups(AbstractJdbcOutboxStore store, DeadLetterTable letters) {
        this.store = store;
        this.letters = letters;
    }

    /** What the letters of a group have in common. */
    private record Key(String eventType, String fingerprint) {

        List<Object> params() {
            return eventType == null ? List.of(fingerprint) : List.of(eventType, fingerprint);
        }
    }

    List<FailureGroup> largest(Connection conn, int limit) {
        List<Key> keys = keys(conn);
        int most = Math.max(LEAST_COUNTED, MOST_COUNTED / Math.max(1, keys.size()));
        return keys.stream()
                .map(key -> group(conn, key, most))
                .filter(Objects::nonNull)
                .sorted(Comparator.comparingLong(FailureGroup::count).reversed())
                .limit(limit)
                .toList();
    }

    private List<Key> keys(Connection conn) {
        List<Key> keys = new ArrayList<>();
        String withoutType = letters.sql(WITHOUT_TYPE)
                .with("groups", String.valueOf(MOST_GROUPS))
                .toString();
        store.statements()
                .query(conn, withoutType, row -> row.getString(1))
                .forEach(fingerprint -> keys.add(new Key(null, fingerprint)));
        String type = next(conn, NEXT_TYPE, null);
        while (type != null && keys.size() < MOST_GROUPS) {
            String fingerprint = next(conn, NEXT_FINGERPRINT, null, type);
            while (fingerprint != null && keys.size() < MOST_GROUPS) {
                keys.add(new Key(type, fingerprint));
                fingerprint = next(conn, NEXT_FINGERPRINT, fingerprint, type);
            }
            type = next(conn, NEXT_TYPE, type);
        }
        return keys;
    }

    /** Returns the value that follows another one, or the first of all; {@code null} at the end. */
    private String next(Connection conn, String template, String after, Object... params) {
        String sql = letters.sql(template)
                .with("follows", after == null ? ">=" : ">")
                .toString();
        List<Object> all = new ArrayList<>(List.of(params));
        all.add(after == null ? "" : after);
        return store.statements().query(conn, sql, row -> row.getString(1), all.toArray()).stream()
                .findFirst()
                .orElse(null);
    }

    /** Returns the group, or {@code null} if all of its letters have gone meanwhile. */
    private FailureGroup group(Connection conn, Key key, int most) {
        String sql = letters.sql(GROUP)
                .with("alike", key.eventType == null ? ALIKE_WITHOUT_TYPE : ALIKE)
                .with("most", String.valueOf(most))
                .toString();
        List<Object> params = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            params.addAll(key.params());
        }
        FailureGroup group = store.statements()
                .query(
                        conn,
                        sql,
                        row -> new FailureGroup(
                                key.eventType,
                                key.fingerprint,
                                row.getLong("letters"),
                                row.getLong("letters") < most,
                                JdbcTemplate.instant(row, "first_at"),
                                JdbcTemplate.instant(row, "last_at"),
                                row.getString("error")),
                        params.toArray())
                .get(0);
        return group.count() == 0 ? null : group;
    }
}
