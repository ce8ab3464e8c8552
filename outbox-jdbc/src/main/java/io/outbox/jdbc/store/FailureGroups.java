package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.FailureGroup;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.function.UnaryOperator;

/**
 * Groups of letters that failed alike.
 *
 * <p>They are found by going from each to the next one in the index, so that a group costs a look-up however many
 * letters it has, and all of them one statement where the database can do that. Counting stops where it would take
 * long: all groups together are counted up to {@value #MOST_COUNTED} letters, and each up to {@value #LEAST_COUNTED} in
 * any case. Times and errors are looked up for the largest groups only. What is asked of each group is asked of {@value
 * #TOGETHER} in one statement.
 */
final class FailureGroups {

    /** The most groups that are looked at. */
    static final int MOST_GROUPS = 1_000;

    static final int MOST_COUNTED = 50_000;
    static final int LEAST_COUNTED = 100;

    /** Where counting of those that failed lately stops. */
    static final int MOST_LATELY = 1_000;

    private static final int TOGETHER = 100;

    private static final String NEXT_TYPE = """
            SELECT event_type FROM {letters} WHERE status = 0 AND event_type {follows}
            ORDER BY status, event_type, created_at, event_id LIMIT 1""";

    private static final String NEXT_FINGERPRINT = """
            SELECT fingerprint FROM {letters} WHERE status = 0 AND event_type = ? AND fingerprint {follows}
            ORDER BY status, event_type, fingerprint, created_at, event_id LIMIT 1""";

    private static final String ALL_WITH_TYPE = """
            WITH RECURSIVE g AS (
              (SELECT event_type, fingerprint FROM {letters} WHERE status = 0 AND event_type >= ''
                ORDER BY status, event_type, fingerprint, created_at, event_id LIMIT 1)
              UNION ALL
              SELECT n.event_type, n.fingerprint FROM g CROSS JOIN LATERAL (
                SELECT l.event_type, l.fingerprint FROM {letters} l
                WHERE l.status = 0 AND (l.event_type, l.fingerprint) > (g.event_type, g.fingerprint)
                ORDER BY l.status, l.event_type, l.fingerprint, l.created_at, l.event_id LIMIT 1) n)
            SELECT event_type, fingerprint FROM g LIMIT {groups}""";

    /** A letter has no type only if its row in the outbox had none, which is rare. */
    private static final String WITHOUT_TYPE = """
            SELECT DISTINCT NULL AS event_type, fingerprint FROM {letters} WHERE status = 0 AND event_type IS NULL
            ORDER BY fingerprint LIMIT {groups}""";

    private static final String COUNT = """
            SELECT {place} AS place,
              (SELECT COUNT(*) FROM (SELECT 1 AS one FROM {letters} WHERE {alike} LIMIT {most}) w) AS letters{from}""";

    private static final String DESCRIBE = """
            SELECT {place} AS place,
              (SELECT MIN(first_failed_at) FROM {letters} WHERE {alike}) AS first_at,
              (SELECT MAX(last_failed_at) FROM {letters} WHERE {alike}) AS last_at,
              (SELECT last_error FROM {letters} WHERE {alike}
                ORDER BY status, event_type, fingerprint, created_at, event_id LIMIT 1) AS error,
              (SELECT COUNT(*) FROM (SELECT 1 AS one FROM {letters} WHERE {alike}
                AND last_failed_at >= (SELECT {now} - INTERVAL '{minutes}' MINUTE{from_nothing}) LIMIT {most}) w)
                AS lately{from}""";

    private static final String EACH = " FROM UNNEST(?, ?) WITH ORDINALITY AS k (event_type, fingerprint, place)";

    private static final String BY_PLACE = " ORDER BY place";

    private static final String ALIKE = "status = 0 AND event_type = ? AND fingerprint = ?";
    private static final String ALIKE_TO_EACH =
            "status = 0 AND event_type = k.event_type AND fingerprint = k.fingerprint";
    private static final String ALIKE_WITHOUT_TYPE = "status = 0 AND event_type IS NULL AND fingerprint = ?";

    private final AbstractJdbcOutboxStore store;
    private final DeadLetterTable letters;

    FailureGroups(AbstractJdbcOutboxStore store, DeadLetterTable letters) {
        this.store = store;
        this.letters = letters;
    }

    /** What the letters of a group have in common. */
    private record Key(String eventType, String fingerprint) {

        static Key of(ResultSet row) throws SQLException {
            return new Key(row.getString("event_type"), row.getString("fingerprint"));
        }

        String alike() {
            return eventType == null ? ALIKE_WITHOUT_TYPE : ALIKE;
        }

        List<Object> params() {
            return eventType == null ? List.of(fingerprint) : List.of(eventType, fingerprint);
        }
    }

    /** Reads what was asked of a group. */
    private interface Answer<T> {
        T of(Key key, ResultSet row) throws SQLException;
    }

    List<FailureGroup> largest(Connection conn, int limit) {
        List<Key> keys = keys(conn);
        int most = Math.max(LEAST_COUNTED, MOST_COUNTED / Math.max(1, keys.size()));
        Map<Key, Long> counts = new LinkedHashMap<>();
        ask(conn, COUNT, sql -> sql.with("most", most), keys, (key, row) -> counts.put(key, row.getLong("letters")));
        List<Key> largest = counts.entrySet().stream()
                .filter(count -> count.getValue() > 0)
                .sorted(Map.Entry.<Key, Long>comparingByValue().reversed())
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        return ask(
                conn,
                DESCRIBE,
                sql -> sql.with("minutes", FailureGroup.LATELY.toMinutes()).with("most", MOST_LATELY),
                largest,
                (key, row) -> new FailureGroup(
                        key.eventType,
                        key.fingerprint,
                        counts.get(key),
                        counts.get(key) < most,
                        JdbcTemplate.instant(row, "first_at"),
                        JdbcTemplate.instant(row, "last_at"),
                        row.getString("error"),
                        row.getLong("lately")));
    }

    private List<Key> keys(Connection conn) {
        List<Key> keys = new ArrayList<>(keys(conn, WITHOUT_TYPE));
        keys.addAll(store.hasLateralJoins() ? keys(conn, ALL_WITH_TYPE) : keysOneByOne(conn));
        return keys.size() > MOST_GROUPS ? keys.subList(0, MOST_GROUPS) : keys;
    }

    private List<Key> keys(Connection conn, String template) {
        return letters.sql(template).with("groups", MOST_GROUPS).query(conn, Key::of);
    }

    private List<Key> keysOneByOne(Connection conn) {
        List<Key> keys = new ArrayList<>();
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
        List<Object> all = new ArrayList<>(List.of(params));
        if (after != null) {
            all.add(after);
        }
        return letters.sql(template)
                .with("follows", after == null ? "IS NOT NULL" : "> ?")
                .first(conn, row -> row.getString(1), all.toArray())
                .orElse(null);
    }

    /** Asks the same of each group; returns the answers in the order of the groups. */
    private <T> List<T> ask(
            Connection conn, String template, UnaryOperator<Sql> filling, List<Key> keys, Answer<T> answer) {
        List<T> answers = new ArrayList<>();
        for (int from = 0; from < keys.size(); from += TOGETHER) {
            List<Key> some = keys.subList(from, Math.min(from + TOGETHER, keys.size()));
            boolean isArray = store.hasLateralJoins() && some.stream().noneMatch(key -> key.eventType == null);
            Sql asking = filling.apply(isArray ? ofArray(template) : union(template, some));
            answers.addAll(asking.query(
                    conn,
                    row -> answer.of(some.get(row.getInt("place") - 1), row),
                    isArray ? array(some) : params(template, some)));
        }
        return answers;
    }

    private Sql ofArray(String template) {
        return letters.sql(template)
                .with("place", "k.place")
                .with("alike", ALIKE_TO_EACH)
                .with("from", EACH + BY_PLACE);
    }

    private static Object[] array(List<Key> keys) {
        return new Object[] {
            keys.stream().map(Key::eventType).toArray(String[]::new),
            keys.stream().map(Key::fingerprint).toArray(String[]::new)
        };
    }

    private Sql union(String template, List<Key> keys) {
        StringJoiner union = new StringJoiner(" UNION ALL ");
        for (Key key : keys) {
            union.add(letters.sql(template)
                    .with("place", keys.indexOf(key) + 1)
                    .with("alike", key.alike())
                    .with("from", store.fromNothing())
                    .toString());
        }
        return new Sql(union + BY_PLACE, store.statements());
    }

    private static Object[] params(String template, List<Key> keys) {
        int times = template.split("\\{alike}", -1).length - 1;
        return keys.stream()
                .flatMap(
                        key -> Collections.nCopies(times, key.params()).stream().flatMap(List::stream))
                .toArray();
    }
}
