package io.outbox.jdbc.store;

import io.outbox.jdbc.store.KeyedReads.Candidate;
import io.outbox.spi.DueEvent;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedPage.KeyedEvent;
import io.outbox.spi.KeyedRequest;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A claim of the next events of some keys.
 *
 * <ol>
 *   <li>The oldest unfinished events of each key are read by one statement, without a lock. Of each key those count that
 *       qualify, up to the first that does not.
 *   <li>They are locked by their primary key, if they still qualify. What somebody else has locked is passed over.
 *   <li>Of each key that counts what was locked from the head on without a gap; a key whose head was not won gives nothing. The
 *       owner is noted in exactly these rows, and the locks of the others end with the transaction.
 * </ol>
 *
 * <p>Unlike other claims it waits for the disk: a claim that a crash of the database takes away would leave the key to another
 * node while this one has an event of it with its listener.
 *
 * <p>That is enough for the order. An event of the key that is before one of these and was committed before it was seen by the
 * first step, so it is finished or among them; and nobody else can have taken one of them without the head, which was free all
 * the time, or was free again when all behind it was.
 */
final class KeyedClaim {

    private static final String LOCK = """
            SELECT {columns}, last_error, locked_by FROM {by_id}
            WHERE event_id {among} AND {unfinished} AND available_at <= ? AND {free}{claim}""";

    private static final String READ = """
            SELECT {columns}, last_error FROM {by_id} WHERE event_id {among} AND {unfinished}""";

    private static final String NOTE_OWNER = """
            UPDATE {by_id} SET locked_by = ?, locked_at = {now} WHERE event_id {among}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    KeyedClaim(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    /** A row, and whether another node held it before. */
    private record Found(DueEvent event, boolean takenOver) {}

    KeyedPage run(KeyedRequest request) {
        if (request.keys().isEmpty()) {
            return KeyedPage.EMPTY;
        }
        if (request.lease() == null) {
            return store.reading(conn, () -> {
                List<Candidate> runs = runs(request);
                return runs.isEmpty() ? KeyedPage.EMPTY : page(runs, read(runs));
            });
        }
        List<Candidate> runs = store.reading(conn, () -> runs(request));
        return runs.isEmpty() ? KeyedPage.EMPTY : store.inTransaction(conn, () -> claim(request, runs));
    }

    private KeyedPage claim(KeyedRequest request, List<Candidate> runs) {
        KeyedPage page = page(runs, lock(request, runs));
        for (IdList ids : store.idLists(
                page.events().stream().map(event -> event.row().eventId()).toList())) {
            String sql = store.sql(NOTE_OWNER).with("among", ids.among()).toString();
            store.statements()
                    .update(conn, sql, ids.params(List.of(request.lease().holder()), List.of()));
        }
        return page;
    }

    /** Returns what qualifies of each key, from its head on. */
    private List<Candidate> runs(KeyedRequest request) {
        List<Candidate> runs = new ArrayList<>();
        String cutKey = null;
        long bytes = 0;
        for (Candidate candidate : store.keyedReads(conn)
                .candidates(request.keys(), request.limit().run())) {
            if (candidate.key().equals(cutKey)) {
                continue;
            }
            if (bytes >= request.limit().bytes() || !candidate.qualifies(request)) {
                cutKey = candidate.key();
                continue;
            }
            runs.add(candidate);
            bytes += candidate.bytes();
        }
        return runs;
    }

    private Map<String, Found> lock(KeyedRequest request, List<Candidate> runs) {
        Claim.Free free = store.free(request.lockExpiry(), request.lost());
        Map<String, Found> locked = new HashMap<>();
        List<Object> after = new ArrayList<>();
        after.add(request.dueUntil());
        after.addAll(free.params());
        for (IdList ids : store.idLists(eventIds(runs))) {
            String sql = store.sql(LOCK)
                    .with("among", ids.among())
                    .with("free", free.condition())
                    .toString();
            store.statements()
                    .query(
                            conn,
                            sql,
                            row -> {
                                String former = row.getString("locked_by");
                                boolean takenOver =
                                        former != null && !request.lease().isHeldBy(former);
                                return new Found(store.mapDueEvent(row), takenOver);
                            },
                            ids.params(List.of(), after))
                    .forEach(found -> locked.put(found.event.eventId(), found));
        }
        return locked;
    }

    private Map<String, Found> read(List<Candidate> runs) {
        Map<String, Found> found = new HashMap<>();
        for (IdList ids : store.idLists(eventIds(runs))) {
            String sql = store.sql(READ).with("among", ids.among()).toString();
            store.statements()
                    .query(conn, sql, store::mapDueEvent, ids.params(List.of(), List.of()))
                    .forEach(event -> found.put(event.eventId(), new Found(event, false)));
        }
        return found;
    }

    private static List<String> eventIds(List<Candidate> runs) {
        return runs.stream().map(Candidate::eventId).sorted().toList();
    }

    /** Returns of each key what was won, up to the first event that was not. */
    private static KeyedPage page(List<Candidate> runs, Map<String, Found> won) {
        List<KeyedEvent> events = new ArrayList<>();
        Set<String> cut = new HashSet<>();
        int takenOver = 0;
        for (Candidate candidate : runs) {
            Found found = won.get(candidate.eventId());
            if (found == null) {
                cut.add(candidate.key());
            }
            if (!cut.contains(candidate.key())) {
                events.add(new KeyedEvent(found.event, candidate.key(), candidate.number()));
                takenOver += found.takenOver ? 1 : 0;
            }
        }
        return new KeyedPage(events, takenOver);
    }
}
