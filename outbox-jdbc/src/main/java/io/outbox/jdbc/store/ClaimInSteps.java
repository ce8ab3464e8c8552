package io.outbox.jdbc.store;

import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/**
 * A claim that works on any database, in one transaction of three steps.
 *
 * <ol>
 *   <li>The first events that can be claimed are read in due order, without a lock. This walks over whatever others hold,
 *       and must not get in their way.
 *   <li>These events are locked by their primary key, if they can still be claimed. What another claim is about to take
 *       is passed over where the database can do that.
 *   <li>The owner is noted in exactly the rows that are locked.
 * </ol>
 *
 * <p>So a claim locks nothing that it does not take, and a node that stands still in the midst of a claim holds up
 * nobody's outcomes or renewals. What two nodes read at the same time only one of them gets.
 */
final class ClaimInSteps {

    private static final String LOCK = """
            SELECT {columns}, last_error, locked_by FROM {by_id}
            WHERE event_id IN {ids} AND {unfinished} AND available_at <= ? AND {free}{locking}""";

    private static final String NOTE_OWNER = """
            UPDATE {by_id} SET locked_by = ?, locked_at = {lock_time} WHERE event_id IN {ids}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    ClaimInSteps(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** An event that is locked in the database, and whether it was in the hands of another owner before. */
    private record Locked(DueEvent event, boolean takenOver) {}

    ClaimedPage run(Claim claim) {
        Candidates candidates = Candidates.readFree(store, conn, claim);
        List<Locked> locked = new ArrayList<>();
        for (IdList ids : IdList.chunks(candidates.ids())) {
            List<Locked> chunk = lock(claim, ids);
            noteOwner(claim, chunk);
            locked.addAll(chunk);
        }
        return new ClaimedPage(
                DuePages.inOrderOfCreation(locked.stream().map(Locked::event).toList()),
                (int) locked.stream().filter(Locked::takenOver).count(),
                candidates.next());
    }

    private List<Locked> lock(Claim claim, IdList ids) {
        String sql = store.sql(LOCK)
                .with("ids", ids.sql())
                .with("free", claim.free().condition())
                .with("locking", store.claimLocking())
                .toString();
        List<Object> after = new ArrayList<>();
        after.add(claim.range().dueUntil());
        after.addAll(claim.free().params());
        return store.statements()
                .query(
                        conn,
                        sql,
                        row -> {
                            String former = row.getString("locked_by");
                            boolean takenOver = former != null && !claim.lease().isHeldBy(former);
                            return new Locked(store.mapDueEvent(row), takenOver);
                        },
                        ids.params(List.of(), after));
    }

    private void noteOwner(Claim claim, List<Locked> locked) {
        if (locked.isEmpty()) {
            return;
        }
        IdList ids = IdList.of(locked.stream().map(one -> one.event.eventId()).toList());
        List<Object> params = new ArrayList<>();
        params.add(claim.lease().holder());
        params.addAll(claim.lockTime().params());
        String sql = store.sql(NOTE_OWNER)
                .with("lock_time", claim.lockTime().sql())
                .with("ids", ids.sql())
                .toString();
        store.statements().update(conn, sql, ids.params(params, List.of()));
    }
}
