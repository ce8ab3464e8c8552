package io.outbox.inbox;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.internal.Repetition;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/** The marks of consumed events in a relational database. Immutable and thread-safe. */
abstract class ConsumedEvents {

    private static final String TIME = "SELECT %s AS utc";

    private final String tableName;

    ConsumedEvents(String tableName) {
        this.tableName = TableNames.validate(tableName);
    }

    /** Returns the marks for the database of a store. */
    static ConsumedEvents of(AbstractJdbcOutboxStore store, String tableName) {
        return switch (store.name()) {
            case "h2" -> new H2ConsumedEvents(tableName);
            case "postgresql" -> new PostgresConsumedEvents(tableName);
            case "mysql", "mariadb", "tidb" -> new MySqlConsumedEvents(tableName);
            default ->
                throw new IllegalArgumentException("Consumed events cannot be kept in " + store.name()
                        + "; supported are h2, mariadb, mysql, postgresql and tidb");
        };
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

    /**
     * Deletes some of the marks that are older, the oldest first, on a connection in auto-commit mode; returns how
     * many.
     */
    final int deleteBefore(Connection conn, String consumer, Instant before, int limit) {
        return new Repetition(this::beforeDelete, this::beginRepetition)
                .run(conn, () -> delete(conn, consumer, before, limit));
    }

    abstract int delete(Connection conn, String consumer, Instant before, int limit);

    /** Called on a connection in auto-commit mode before a delete. */
    void beforeDelete(Connection conn) {}

    /** Called at the beginning of a transaction in which a delete is run again that the database gave up. */
    void beginRepetition(Connection conn) {}

    /** Returns the SQL expression for the current time in UTC. */
    abstract String utcNow();

    /** Returns the database's time, by which marks are dated. */
    final Instant currentTime(Connection conn) {
        return JdbcTemplate.query(conn, TIME.formatted(utcNow()), row -> JdbcTemplate.instant(row, "utc"))
                .get(0);
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
