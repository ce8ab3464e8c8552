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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A claim of the next events of some keys.
 *
 * <ol>
 *   <li>The oldest unfinished events of each key are read by one statement, without a lock. Of each key those count that
 *       qualify, up to the first that does not. If somebody holds one of those that were read, the key gives nothing.
 *   <li>They are locked by their primary key, if they still qualify: first the heads, then what follows those that were won. What
 *       somebody else has locked is passed over.
 *   <li>A key of which something was not won gives nothing. The owner is noted in the rows of the others, and the locks of the rest
 *       end with the transaction.
 * </ol>
 *
 * <p>Unlike other claims it waits for the disk: a claim that a crash of the database takes away would leave the key to
 * another node while this one has an event of it with its listener.
 *
 * <p>That is enough for the order. An event of the key that is before one of these and was committed before it was seen
 * by the first step, so it is finished or among them. An event that comes to stand before what somebody else holds, by
 * a replay or because its transaction committed late, waits until that is given back or finished; who had it looks at
 * the key then.
 */
final class KeyedClaim {

    private static final String LOCK = """
            SELECT {columns}, last_error, locked_by FROM {by_id}
            WHERE event_id {among} AND {unfinished} AND available_at <= ? AND {free}{claim}""";

    private static final String READ = """
            SELECT {columns}, last_error, locked_by, locked_at FROM {by_id} WHERE event_id {among} AND {unfinished}""";

    private static final String NOTE_OWNER = """
            UPDATE {by_id} SET locked_by = ?, locked_at = {now} WHERE event_id {among}""";

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;
    private final ForeignLocks foreignLocks;

    KeyedClaim(AbstractJdbcOutboxStore store, Connection conn, ForeignLocks foreignLocks) {
        this.store = store;
        this.conn = conn;
        this.foreignLocks = foreignLocks;
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
                return runs.isEmpty() ? KeyedPage.EMPTY : page(runs, read(request, runs));
            });
        }
        List<Candidate> runs = store.reading(conn, () -> runs(request));
        return runs.isEmpty() ? KeyedPage.EMPTY : store.inTransaction(conn, () -> claim(request, runs));
    }

    private KeyedPage claim(KeyedRequest request, List<Candidate> runs) {
        Map<String, Found> won = lock(request, heads(runs));
        won.putAll(lock(request, followers(runs, won.keySet())));
        KeyedPage page = page(runs, won);
        for (IdList ids : store.idLists(
                page.events().stream().map(event -> event.row().eventId()).toList())) {
            String sql = store.sql(NOTE_OWNER).with("among", ids.among()).toString();
            store.statements()
                    .update(conn, sql, ids.params(List.of(request.lease().holder()), List.of()));
        }
        return page;
    }

    /** Returns what qualifies of each key of which nobody holds anything, from its head on. */
    private List<Candidate> runs(KeyedRequest request) {
        Map<String, List<Candidate>> byKey = new LinkedHashMap<>();
        for (Candidate candidate : store.keyedReads(conn).candidates(request.keys(), window(request))) {
            byKey.computeIfAbsent(candidate.key(), key -> new ArrayList<>()).add(candidate);
        }
        List<Candidate> runs = new ArrayList<>();
        long bytes = 0;
        for (List<Candidate> ofKey : byKey.values()) {
            if (!ofKey.stream().allMatch(candidate -> candidate.isFree(request))) {
                continue;
            }
            int run = 0;
            for (Candidate candidate : ofKey) {
                if (run++ == request.limit().run()
                        || bytes >= request.limit().bytes()
                        || !candidate.qualifies(request)) {
                    break;
                }
                runs.add(candidate);
                bytes += candidate.bytes();
            }
        }
        return runs;
    }

    /** Returns how many events of a key are read: a head alone does not tell whether somebody holds what follows. */
    static int window(KeyedRequest request) {
        int run = request.limit().run();
        return request.lease() == null ? run : Math.max(2, run);
    }

    private static List<Candidate> heads(List<Candidate> runs) {
        Set<String> keys = new HashSet<>();
        return runs.stream().filter(candidate -> keys.add(candidate.key())).toList();
    }

    /** Returns what follows the heads that were won. */
    private static List<Candidate> followers(List<Candidate> runs, Set<String> wonHeads) {
        Set<String> keys = new HashSet<>();
        return runs.stream()
                .filter(candidate -> !wonHeads.contains(candidate.eventId())
                        ? keys.contains(candidate.key())
                        : !keys.add(candidate.key()))
                .toList();
    }

    private Map<String, Found> lock(KeyedRequest request, List<Candidate> runs) {
        Claim.Free free = store.free(request.lockExpiry(), request.lost());
        Map<String, Found> locked = new HashMap<>();
        List<Object> after = new ArrayList<>();
        after.add(request.dueUntil());
        after.addAll(free.params());
        for (IdList ids : runs.isEmpty() ? List.<IdList>of() : store.idLists(eventIds(runs))) {
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

    private Map<String, Found> read(KeyedRequest request, List<Candidate> runs) {
        Map<String, Found> found = new HashMap<>();
        for (IdList ids : store.idLists(eventIds(runs))) {
            String sql = store.sql(READ).with("among", ids.among()).toString();
            store.statements()
                    .query(
                            conn,
                            sql,
                            row -> {
                                foreignLocks.lookAt(row, request.dueUntil());
                                return store.mapDueEvent(row);
                            },
                            ids.params(List.of(), List.of()))
                    .forEach(event -> found.put(event.eventId(), new Found(event, false)));
        }
        return found;
    }

    private static List<String> eventIds(List<Candidate> runs) {
        return runs.stream().map(Candidate::eventId).sorted().toList();
    }

    /** Returns the runs of which all was won. */
    private static KeyedPage page(List<Candidate> runs, Map<String, Found> won) {
        Set<String> others = new HashSet<>();
        for (Candidate candidate : runs) {
            if (!won.containsKey(candidate.eventId())) {
                others.add(candidate.key());
            }
        }
        List<KeyedEvent> events = new ArrayList<>();
        int takenOver = 0;
        for (Candidate candidate : runs) {
            Found found = won.get(candidate.eventId());
            if (!others.contains(candidate.key())) {
                events.add(new KeyedEvent(found.event, candidate.key(), candidate.number()));
                takenOver += found.takenOver ? 1 : 0;
            }
        }
        return new KeyedPage(events, takenOver);
    }
}
