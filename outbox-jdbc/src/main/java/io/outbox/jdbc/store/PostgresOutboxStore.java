package io.outbox.jdbc.store;

import static io.outbox.model.EventStatus.DEAD;
import static io.outbox.model.EventStatus.NEW;
import static io.outbox.model.EventStatus.RETRY;

import io.outbox.jdbc.internal.FreshPlan;
import io.outbox.jdbc.internal.ReadCommitted;
import io.outbox.jdbc.internal.Repetition;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.EventTypes;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The store for PostgreSQL: partial indexes, and a claim in one statement that passes over locked rows. */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {

    /**
     * Has the transaction of a claim commit without waiting for the disk. A claim that is lost with a crash of the database
     * leaves its events free, which is where they would be without it; what follows it, as an outcome, is lost or kept with
     * it, and in this order.
     */
    private static final String UNHURRIED = ", (SELECT set_config('synchronous_commit', 'off', true)) AS commits";

    /**
     * Takes the events by an array of ids: its size is unknown to the planner, which takes it for small and looks the rows
     * up by their key, whereas a join might read the whole table.
     */
    private static final String CLAIM = """
            WITH due AS (
              SELECT {hint}event_id, locked_by AS former_owner FROM {table} WHERE {partition} AND {due} AND {free}
              ORDER BY {order} LIMIT ?
              FOR UPDATE SKIP LOCKED)
            UPDATE {table} SET locked_by = ?, locked_at = {lock_time}
            WHERE event_id = ANY(ARRAY(SELECT event_id FROM due))
            RETURNING {columns}, last_error, (SELECT count(*) FROM due WHERE former_owner <> ?) AS taken_over{commit}""";

    public PostgresOutboxStore() {}

    public PostgresOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "postgresql";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:postgresql:", "jdbc:pgsql:");
    }

    @Override
    public PostgresOutboxStore withTable(String tableName) {
        return new PostgresOutboxStore(tableName);
    }

    @Override
    public EventPurger purger() {
        return new PostgresEventPurger(tableName());
    }

    @Override
    public EventPurger ageBasedPurger() {
        return new PostgresAgeBasedPurger(tableName());
    }

    @Override
    protected String utcNow() {
        return "(clock_timestamp() AT TIME ZONE 'UTC')";
    }

    @Override
    protected void tune(PreparedStatement statement) throws SQLException {
        FreshPlan.request(statement);
    }

    @Override
    protected void beginRepetition(Connection conn) {
        ReadCommitted.forThisTransaction(conn);
    }

    @Override
    List<IdList> idLists(Collection<String> eventIds) {
        return IdList.arrays(eventIds);
    }

    @Override
    protected List<Partition> pendingPartitions(EventTypes types) {
        return List.of(new Partition(List.of(NEW, RETRY), isOneType(types) ? "event_type, " + DUE_ORDER : DUE_ORDER));
    }

    @Override
    protected List<Partition> deadPartitions() {
        return List.of(new Partition(List.of(DEAD), "created_at, event_id"));
    }

    @Override
    protected boolean hasLateralJoins() {
        return true;
    }

    /** An event that was claimed, and how many of all were taken over from other owners. */
    private record Claimed(DueEvent event, int takenOver) {}

    @Override
    ClaimedPage claim(Connection conn, Claim claim) {
        Partition pending = pendingPartitions(claim.range().types()).get(0);
        String sql = pending.fill(sql(CLAIM))
                .with("due", claim.range().condition())
                .with("free", Claim.FREE)
                .with("lock_time", claim.lockTime().sql())
                .with("commit", Repetition.isOwn(conn) ? UNHURRIED : "")
                .toString();
        List<Object> params = new ArrayList<>(claim.range().params(claim.lockExpiry(), claim.limit(), claim.ownerId()));
        params.addAll(claim.lockTime().params());
        params.add(claim.ownerId());
        List<Claimed> claimed = repeating(
                conn,
                () -> statements()
                        .query(
                                conn,
                                sql,
                                row -> new Claimed(mapDueEvent(row), row.getInt("taken_over")),
                                params.toArray()));
        if (claimed.isEmpty()) {
            return ClaimedPage.EMPTY;
        }
        List<DueEvent> events = claimed.stream().map(Claimed::event).toList();
        DueCursor last = events.stream()
                .map(due -> DueCursor.of(due.event()))
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return new ClaimedPage(
                DuePages.inOrderOfCreation(events),
                claimed.get(0).takenOver,
                events.size() < claim.limit() ? null : last);
    }
}
