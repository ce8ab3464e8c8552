package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import io.outbox.spi.EventsLockedException;
import java.sql.Connection;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A change of events that this node holds, which does not wait for somebody else.
 *
 * <p>An open transaction of another program may have locked the row of one event. One statement changes the rows of
 * hundreds, and waits for the first that is locked: with it would wait all the others, every later outcome of the node,
 * and the renewal of its locks, until other nodes take everything over. So a change of the outbox's own waits for a
 * moment at most, and then names the events that are locked, having changed nothing. How, depends on the database:
 *
 * <ul>
 *   <li>{@link Waiting#BRIEFLY}: the database takes a limit for such waits with the statement. That costs nothing as long as
 *       nothing is locked; only when it has come to a wait are the locked rows looked for.
 *   <li>{@link Waiting#NEVER}: the database can pass over locked rows, so they are locked first, all that are free.
 *   <li>{@link Waiting#UNBOUNDED}: the database can do neither.
 * </ul>
 *
 * <p>In a transaction of the caller's the caller decides how long to wait.
 */
final class RowChange {

    /** How a database deals with rows that others have locked. */
    enum Waiting {
        BRIEFLY,
        NEVER,
        UNBOUNDED
    }

    /** How often a lock is tried before it is taken for one that lasts. */
    private static final int MAX_TRIES = 12;

    private static final String LOCK_FREE = """
            SELECT event_id FROM {by_id} WHERE event_id {among} AND {unfinished}{fence} FOR UPDATE SKIP LOCKED""";

    private static final String OPEN = """
            SELECT event_id FROM {by_id} WHERE event_id {among} AND {unfinished}{fence}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;
    private final Fence fence;

    RowChange(AbstractJdbcOutboxStore store, Connection conn, Fence fence) {
        this.store = store;
        this.conn = conn;
        this.fence = fence;
    }

    /**
     * A change of events, told which of them it may touch: what it is not told of may be locked, and would not change.
     */
    @FunctionalInterface
    interface Change<T> {
        T of(Set<String> eventIds);
    }

    /** Makes a change that is a single statement. */
    <T> T inOneStatement(Set<String> eventIds, Change<T> change) {
        if (waiting() == Waiting.NEVER) {
            return lockingFirst(eventIds, change);
        }
        return namingLocked(eventIds, () -> store.repeating(conn, () -> change.of(eventIds)));
    }

    /** Makes a change of several statements, in the caller's transaction if there is one, else in one of its own. */
    <T> T inTransaction(Set<String> eventIds, Change<T> change) {
        if (waiting() == Waiting.NEVER) {
            return lockingFirst(eventIds, change);
        }
        boolean own = Repetition.isOwn(conn);
        return namingLocked(
                eventIds,
                () -> store.inTransaction(conn, () -> {
                    if (own) {
                        store.waitBrieflyInTransaction(conn);
                    }
                    return change.of(eventIds);
                }));
    }

    private Waiting waiting() {
        return Repetition.isOwn(conn) ? store.waiting() : Waiting.UNBOUNDED;
    }

    private <T> T lockingFirst(Set<String> eventIds, Change<T> change) {
        return tryingAgain(() -> store.inTransaction(conn, () -> {
            Set<String> locked = find(LOCK_FREE, eventIds);
            if (locked.size() < eventIds.size()) {
                requireNone(openBut(eventIds, locked));
            }
            return change.of(locked);
        }));
    }

    private static void requireNone(Set<String> lockedByOthers) {
        if (!lockedByOthers.isEmpty()) {
            throw new EventsLockedException(lockedByOthers);
        }
    }

    /** Claims of other nodes lock an event for a moment; one who waits for them keeps nothing locked. */
    private static <T> T tryingAgain(Supplier<T> change) {
        for (int tries = 1; ; tries++) {
            try {
                return change.get();
            } catch (EventsLockedException e) {
                if (tries == MAX_TRIES) {
                    throw e;
                }
                Repetition.pause(tries);
            }
        }
    }

    private Set<String> openBut(Set<String> eventIds, Set<String> some) {
        Set<String> others = new HashSet<>(eventIds);
        others.removeAll(some);
        return find(OPEN, others);
    }

    private <T> T namingLocked(Set<String> eventIds, Supplier<T> change) {
        for (int tries = 1; ; tries++) {
            try {
                return change.get();
            } catch (OutboxStoreException e) {
                if (waiting() != Waiting.BRIEFLY || !store.isLockedByOthers(e) || tries == MAX_TRIES) {
                    throw e;
                }
                requireNone(openBut(eventIds, store.repeating(conn, () -> find(LOCK_FREE, eventIds))));
            }
        }
    }

    private Set<String> find(String template, Collection<String> eventIds) {
        List<IdList> sorted = store.idLists(eventIds.stream().sorted().toList());
        return new HashSet<>(fence.fill(store.sql(template))
                .queryAmong(conn, sorted, Sql.EVENT_ID, fence.params().toArray()));
    }
}
