package io.outbox.jdbc.store;

import io.outbox.jdbc.internal.H2TableRules;
import io.outbox.jdbc.internal.TableRules;
import io.outbox.jdbc.purge.H2AgeBasedPurger;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The store for H2. Also reads payload and header columns of type JSON, in which H2 keeps our text as a string. */
public final class H2OutboxStore extends AbstractJdbcOutboxStore {

    public H2OutboxStore() {}

    public H2OutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:h2:");
    }

    @Override
    public H2OutboxStore withTable(String tableName) {
        return new H2OutboxStore(tableName);
    }

    @Override
    public EventPurger purger() {
        return new H2EventPurger(tableName());
    }

    @Override
    public EventPurger ageBasedPurger() {
        return new H2AgeBasedPurger(tableName());
    }

    /** H2 casts to the zone of the session. */
    @Override
    protected String utcNow() {
        return """
                DATEADD('MICROSECOND', CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT), \
                TIMESTAMP '1970-01-01 00:00:00')""";
    }

    @Override
    public InsertMissing insertMissing() {
        return InsertMissing.MERGE;
    }

    @Override
    Optional<TableRules> tableRules() {
        return Optional.of(new H2TableRules());
    }

    @Override
    RowChange.Waiting waiting() {
        return RowChange.Waiting.NEVER;
    }

    /**
     * H2 begins and ends at the values themselves, and would walk over all events of the types that it is to leave out.
     */
    @Override
    DueCondition between(String first, String second) {
        String behind = first + Character.MIN_VALUE;
        return second == null
                ? new DueCondition("event_type >= ?", List.of(behind))
                : new DueCondition("event_type >= ? AND event_type <= ?", List.of(behind, before(second)));
    }

    /** H2 begins at the value itself, and would walk over all events of the key. */
    @Override
    DueCondition keysAfter(String key) {
        return new DueCondition(keyColumn() + " >= ?", List.of(key + Character.MIN_VALUE));
    }

    /** H2 would limit the connection, for whoever has it next, too; it waits for a lock for a second or two only. */
    @Override
    void giveUpAfter(int seconds, Statement statement) {}

    private static String before(String text) {
        int end = text.length() - 1;
        char last = text.charAt(end);
        String start = text.substring(0, end);
        return last == Character.MIN_VALUE ? start : start + (char) (last - 1) + Character.MAX_VALUE;
    }

    /**
     * Takes the time from the JVM, which for an embedded database is the same clock: H2's own stands still at the start
     * of the transaction, so that a lock written late in a long one would be out of time before it is visible.
     */
    @Override
    LockTime lockTimeOfInsert() {
        return LockTime.of(Instant.now());
    }

    @Override
    protected OutboxEvent mapRow(ResultSet row) throws SQLException {
        return Rows.event(
                row,
                H2Json.text(row, "payload", row.getString("payload")),
                H2Json.text(row, "headers", row.getString("headers")));
    }
}
