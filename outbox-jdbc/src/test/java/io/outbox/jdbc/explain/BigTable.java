package io.outbox.jdbc.explain;

import java.util.List;

/**
 * SQL that fills a big outbox table.
 *
 * <p>Finished events, one in a hundred of them DEAD, are older than pending ones, one in twenty of which waits for a
 * retry. Ids and times rise together, as in life.
 *
 * @param numbers a row source with one column {@code i} from 0 to below {@code %d}
 * @param text the expression that makes text out of {@code %s}
 * @param time the expression for {@code %2$s} milliseconds after {@code %1$s}
 */
record BigTable(String numbers, String text, String time) {

    static final String LONG_AGO = "2025-01-01 00:00:00";
    static final String OF_LATE = "2025-06-01 00:00:00";
    static final String FAR_AHEAD = "2100-01-01 00:00:00";
    static final String TYPE = "Type";
    static final String RARE_TYPE = "Rare";
    static final List<String> OTHER_TYPES = List.of("Another", "Third");

    private static final String COLUMNS =
            " (event_id, event_type, aggregate_type, payload, status, attempts, available_at, created_at, done_at) ";

    /** Inserts finished events, a millisecond apart from {@link #LONG_AGO} on. */
    String insertFinished(String table, int from, int count) {
        return "INSERT INTO " + table + COLUMNS + "SELECT " + id("01", from)
                + ", CASE WHEN i % 10000 = 0 THEN '" + RARE_TYPE + "' ELSE '" + TYPE + "' END, '__GLOBAL__',"
                + " '{\"order\":12345,\"text\":\"some text of a common length\"}',"
                + " CASE WHEN i % 100 = 0 THEN 3 ELSE 1 END, 0, " + at(LONG_AGO, from) + ", " + at(LONG_AGO, from)
                + ", CASE WHEN i % 100 = 0 THEN NULL ELSE " + at(LONG_AGO, from) + " END FROM "
                + numbers.formatted(count);
    }

    /** Inserts pending events, a millisecond apart from {@link #OF_LATE} on. */
    String insertPending(String table, int from, int count) {
        return "INSERT INTO " + table + COLUMNS + "SELECT " + id("02", from) + ", '" + TYPE + "', '__GLOBAL__',"
                + " '{\"order\":12345,\"text\":\"some text of a common length\"}',"
                + " CASE WHEN i % 20 = 0 THEN 2 ELSE 0 END, 0, " + at(OF_LATE, from) + ", " + at(OF_LATE, from)
                + ", NULL FROM " + numbers.formatted(count);
    }

    /** Inserts events that are not due for a long time. */
    String insertDelayed(String table, int from, int count) {
        return "INSERT INTO " + table + COLUMNS + "SELECT " + id("03", from) + ", '" + TYPE + "', '__GLOBAL__',"
                + " '{}', 0, 0, " + at(FAR_AHEAD, from) + ", " + at(OF_LATE, from) + ", NULL FROM "
                + numbers.formatted(count);
    }

    /** Inserts dead letters, one in four of them settled, in several groups of failures. */
    String insertLetters(String table, int count) {
        String time = at(LONG_AGO, 0);
        return "INSERT INTO " + table + " (event_id, event_type, payload, status, attempts, available_at, created_at,"
                + " last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at) SELECT "
                + id("04", 0)
                + ", CASE WHEN i % 100 = 1 THEN '" + RARE_TYPE + "' ELSE '" + TYPE + "' END, '{}',"
                + " CASE WHEN i % 4 = 0 THEN 3 ELSE 0 END, 3, " + time + ", " + time + ", 'boom', CONCAT('f', "
                + text.formatted("i % 7") + "), " + time + ", " + time + ", " + time + ", " + time + " FROM "
                + numbers.formatted(count);
    }

    private String id(String prefix, int from) {
        return "CONCAT('" + prefix + "', " + text.formatted("100000000 + i + " + from) + ")";
    }

    private String at(String start, int from) {
        return time.formatted(start, "(i + " + from + ")");
    }
}
