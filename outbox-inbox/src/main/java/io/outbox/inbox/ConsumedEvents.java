package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** The marks of consumed events in a relational database. Immutable and thread-safe. */
abstract class ConsumedEvents {

    private static final String WITH_OLD_MARKS =
            "SELECT consumer FROM %s WHERE consumer IN (%s) AND consumed_at < ? GROUP BY consumer";

    /** The most that one list of a statement takes. */
    private static final int CHUNK = 1000;

    private final AbstractJdbcOutboxStore store;
    private final String tableName;

    ConsumedEvents(AbstractJdbcOutboxStore store, String tableName) {
        this.store = store;
        this.tableName = TableNames.validate(tableName);
    }

    /** Returns the marks in the database of a store. */
    static ConsumedEvents of(AbstractJdbcOutboxStore store, String tableName) {
        return switch (store.insertMissing()) {
            case ON_CONFLICT -> new PostgresConsumedEvents(store, tableName);
            case ON_DUPLICATE_KEY -> new MySqlConsumedEvents(store, tableName);
            case MERGE -> new H2ConsumedEvents(store, tableName);
            case MERGE_EACH -> new OracleConsumedEvents(store, tableName);
            case ONE_BY_ONE -> new TokenConsumedEvents(store, tableName);
        };
    }

    final AbstractJdbcOutboxStore store() {
        return store;
    }

    final String tableName() {
        return tableName;
    }

    /**
     * Adds marks that are missing, in the caller's transaction, and returns the ids of those that were. Waits for
     * transactions that have added the same and not ended. What another transaction has added meanwhile counts as
     * there, even if the snapshot of this one does not show it, or the statement fails; it never counts as added.
     *
     * @param eventIds distinct, in an order that is the same for everybody
     * @param token what tells the marks of this call from all others
     */
    abstract Set<String> add(Connection conn, String consumer, List<String> eventIds, long token);

    /** Removes marks that a call has added, in the same transaction. */
    abstract void remove(Connection conn, String consumer, Set<String> eventIds, long token);

    /** Returns those of the consumers that have marks which are older. */
    final List<String> consumersBefore(Connection conn, List<String> consumers, Instant before) {
        List<String> found = new ArrayList<>();
        for (List<String> chunk : chunks(consumers)) {
            List<Object> params = new ArrayList<>(chunk);
            params.add(before);
            String sql = WITH_OLD_MARKS.formatted(tableName, places(chunk));
            found.addAll(JdbcTemplate.query(conn, sql, row -> row.getString("consumer"), params.toArray()));
        }
        return found;
    }

    /** Splits texts into lists of a length that every database takes. */
    static List<List<String>> chunks(List<String> texts) {
        List<List<String>> chunks = new ArrayList<>();
        for (int from = 0; from < texts.size(); from += CHUNK) {
            chunks.add(texts.subList(from, Math.min(from + CHUNK, texts.size())));
        }
        return chunks;
    }

    static String places(List<String> texts) {
        return String.join(", ", Collections.nCopies(texts.size(), "?"));
    }

    /**
     * Deletes some of the marks that are older, the oldest first, on a connection in auto-commit mode; returns how
     * many.
     */
    final int deleteBefore(Connection conn, String consumer, Instant before, int limit) {
        return store.repeating(conn, () -> delete(conn, consumer, before, limit));
    }

    abstract int delete(Connection conn, String consumer, Instant before, int limit);

    /** Returns the database's time, by which marks are dated. */
    final Instant currentTime(Connection conn) {
        return store.currentTime(conn);
    }

    /**
     * Returns how often marks are tried to be added that fail like this: more than once if the database gave them up in
     * favour of others, so that a new transaction may have more luck.
     */
    int maxTries(OutboxStoreException e) {
        return Repetition.isRepeatable(e) ? Repetition.MAX_TRIES : 1;
    }

    /** Returns whether the driver gave this code for a failure. */
    static boolean hasCode(OutboxStoreException e, int vendorCode) {
        return e.getCause() instanceof SQLException cause && cause.getErrorCode() == vendorCode;
    }
}
