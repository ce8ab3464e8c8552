package io.outbox.jdbc.store;

import io.outbox.EventEnvelope;
import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Predicate;

/** The dead letters of a {@link DeadLetterStore}: each call is a transaction on a connection of its own. */
final class JdbcDeadLetters implements DeadLetterBackend {

    private final StoreConnections connections;
    private final DeadLetterStore deadLetters;
    private final AbstractJdbcOutboxStore store;
    private final DeadLetterTable letters;
    private final DeadLetterPages pages;
    private final AttemptWalk attempts = new AttemptWalk(System::nanoTime);

    JdbcDeadLetters(ConnectionProvider connections, DeadLetterStore deadLetters) {
        this.connections = new StoreConnections(deadLetters.outboxStore(), connections);
        this.deadLetters = deadLetters;
        this.store = deadLetters.outboxStore();
        this.letters = deadLetters.letters();
        this.pages = deadLetters.pages();
    }

    @Override
    public boolean movesAtDeath() {
        return deadLetters.movesAtDeath();
    }

    @Override
    public List<OutboxEvent> moveDead(int limit, IntConsumer attempted) {
        return connections.inTransaction(conn -> {
            List<String> dead = store.queryDead(conn, null, null, limit).stream()
                    .map(OutboxEvent::eventId)
                    .toList();
            attempted.accept(dead.size());
            return letters.move(conn, dead, store.claimLocking());
        });
    }

    @Override
    public List<OutboxEvent> moveDead(Collection<String> eventIds) {
        return connections.inTransaction(conn -> letters.move(conn, new HashSet<>(eventIds), store.waitLocking()));
    }

    @Override
    public List<DeadLetter> returnApproved(int limit, IntConsumer attempted) {
        return connections.inTransaction(conn -> {
            List<DeadLetter> approved = letters.lockApproved(conn, limit);
            attempted.accept(approved.size());
            letters.toOutbox(conn, approved);
            return approved;
        });
    }

    @Override
    public List<DeadLetter> find(Collection<String> eventIds) {
        return connections.readingLimited(conn -> letters.find(conn, new HashSet<>(eventIds)));
    }

    @Override
    public Page<DeadLetter> query(DeadLetterQuery query) {
        return connections.readingLimited(conn -> pages.read(conn, query));
    }

    @Override
    public String encode(PageCursor cursor) {
        return DeadCursor.from(cursor).text();
    }

    @Override
    public PageCursor decode(String cursor) {
        return DeadCursor.parse(cursor);
    }

    @Override
    public List<DeadLetter> list(DlqStatus status, long offset, int limit) {
        return connections.readingLimited(conn -> pages.list(conn, status, offset, limit));
    }

    @Override
    public List<String> listIds(DlqStatus status, long offset, int limit) {
        return connections.readingLimited(conn -> pages.listIds(conn, status, offset, limit));
    }

    @Override
    public DeadLetterChange change(Collection<String> eventIds, DlqStatus status, String changedBy) {
        if (!DlqStatus.MOVED.mayBecome(status)) {
            throw new IllegalArgumentException(
                    "A dead letter can be changed to TO_RETRY or RESOLVED, not to " + status);
        }
        DeadLetterChange change = connections.inTransaction(conn -> changeAll(
                conn,
                eventIds,
                now -> now == status || now.mayBecome(status),
                all -> letters.change(conn, ids(all), status, changedBy)));
        return change.isMade()
                ? DeadLetterChange.made(change.changed().stream()
                        .filter(letter -> letter.status() != status)
                        .toList())
                : change;
    }

    @Override
    public DeadLetterChange returnToOutbox(Collection<String> eventIds) {
        return connections.inTransaction(
                conn -> changeAll(conn, eventIds, now -> now == DlqStatus.MOVED, all -> letters.toOutbox(conn, all)));
    }

    @Override
    public DeadLetterChange replace(String eventId, EventEnvelope replacement, String changedBy) {
        return connections.inTransaction(conn ->
                changeAll(conn, List.of(eventId), now -> now == DlqStatus.MOVED, all -> {
                    store.insertNew(conn, replacement);
                    letters.change(conn, ids(all), DlqStatus.RESOLVED, changedBy);
                }));
    }

    @Override
    public DeadLetterChange delete(Collection<String> eventIds) {
        return connections.inTransaction(
                conn -> changeAll(conn, eventIds, now -> now != DlqStatus.IN_PROCESS, all -> delete(conn, ids(all))));
    }

    private void delete(Connection conn, List<String> eventIds) {
        letters.delete(conn, eventIds);
        deadLetters.attempts().delete(conn, eventIds);
    }

    private static List<String> ids(List<DeadLetter> all) {
        return all.stream().map(DeadLetter::eventId).toList();
    }

    /** Locks all letters, and changes all of them if all of them are there and may be changed. */
    private DeadLetterChange changeAll(
            Connection conn,
            Collection<String> eventIds,
            Predicate<DlqStatus> isAllowed,
            Consumer<List<DeadLetter>> change) {
        Set<String> missing = new HashSet<>(eventIds);
        List<DeadLetter> all = letters.lock(conn, new HashSet<>(eventIds));
        Map<String, DlqStatus> refused = new HashMap<>();
        for (DeadLetter letter : all) {
            missing.remove(letter.eventId());
            if (!isAllowed.test(letter.status())) {
                refused.put(letter.eventId(), letter.status());
            }
        }
        if (!missing.isEmpty() || !refused.isEmpty()) {
            return DeadLetterChange.notMade(missing, refused);
        }
        change.accept(all);
        return DeadLetterChange.made(all);
    }

    @Override
    public List<DeadLetterCount> counts() {
        return connections.readingLimited(pages::counts);
    }

    @Override
    public long count(DlqStatus status, String eventType) {
        return connections.readingLimited(conn -> pages.count(conn, status, eventType));
    }

    @Override
    public Tally count(DeadLetterFilter filter) {
        return connections.readingLimited(conn -> pages.tally(conn, filter));
    }

    @Override
    public Map<DlqStatus, Long> countByState(int most) {
        return connections.readingLimited(conn -> pages.countByState(conn, most));
    }

    @Override
    public List<FailureGroup> groups(int limit) {
        return connections.readingLimited(conn -> new FailureGroups(store, letters).largest(conn, limit));
    }

    @Override
    public List<FailedAttempt> attempts(String eventId) {
        return connections.readingLimited(conn -> deadLetters.attempts().of(conn, eventId));
    }

    @Override
    public int cleanUp(Instant before, int limit) {
        return connections.inTransaction(conn -> {
            List<String> settled = pages.settled(conn, before, limit);
            delete(conn, settled);
            return settled.size();
        });
    }

    @Override
    public int cleanUpAttempts(Instant before, int limit) {
        return attempts.step(
                place -> connections.inTransaction(
                        conn -> deadLetters.attempts().deleteOfEnded(conn, letters, place, before, limit)),
                limit);
    }

    @Override
    public Instant currentTime() {
        return connections.with(store::currentTime);
    }
}
