package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The rules of an {@link OutboxStore} that implements all of its methods, on the level of connections and rows. A store
 * that also keeps ownership is tested further by {@link OutboxBackendContract}, on a
 * {@link io.outbox.spi.StoreBackend}.
 *
 * <p>To test a store, extend this class and give the store, on an empty table, and connections to its database:
 *
 * <pre>{@code
 * class MyStoreTest extends OutboxStoreContract {
 *     @Override
 *     protected OutboxStore createStore() throws SQLException {
 *         createEmptyTable();
 *         return new MyStore();
 *     }
 *
 *     @Override
 *     protected Connection openConnection() throws SQLException {
 *         return dataSource.getConnection();
 *     }
 * }
 * }</pre>
 */
public abstract class OutboxStoreContract {

    private static final String TYPE = "StoreEvent";

    private Instant now;
    private OutboxStore store;
    private Connection conn;

    /** Returns the store, on an empty table; called before each test. */
    protected abstract OutboxStore createStore() throws Exception;

    /** Returns a new connection in auto-commit mode; the contract closes it. */
    protected abstract Connection openConnection() throws SQLException;

    /** Frees what {@link #createStore} opened; called after each test, once the contract has closed its connections. */
    protected void closeStore() throws Exception {}

    /** Returns the name of the table. Default: {@code outbox_event}. */
    protected String tableName() {
        return "outbox_event";
    }

    @BeforeEach
    final void openStore() throws Exception {
        now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        store = createStore();
        conn = openConnection();
    }

    @AfterEach
    final void closeConnection() throws SQLException {
        if (conn != null) {
            assertThat(conn.isClosed())
                    .as("the store must not close the connection")
                    .isFalse();
            assertThat(conn.getAutoCommit())
                    .as("the store must restore auto-commit mode")
                    .isTrue();
            conn.close();
        }
    }

    @Test
    void insertNewFillsEveryColumn() {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(9))
                .aggregateType("Order")
                .aggregateId("o-1")
                .tenantId("t-1")
                .header("trace", "abc")
                .payloadJson("{\"name\":\"Zoë\"}")
                .build();

        store.insertNew(conn, event);

        StoredEvent stored = stored(event.eventId());
        assertThat(stored.envelope()).isEqualTo(event);
        assertThat(stored.status()).isEqualTo(EventStatus.NEW);
        assertThat(stored.attempts()).isZero();
        assertThat(stored.createdAt()).isEqualTo(now.minusSeconds(9));
        assertThat(stored.availableAt()).isEqualTo(now.minusSeconds(9));
        assertThat(stored.doneAt()).isNull();
        assertThat(stored.lastError()).isNull();
        assertThat(stored.lockedBy()).isNull();
        assertThat(stored.lockedAt()).isNull();
    }

    @Test
    void insertNewLeavesOptionalColumnsNull() {
        EventEnvelope event = EventEnvelope.ofJson(TYPE, "{}");

        store.insertNew(conn, event);

        StoredEvent stored = stored(event.eventId());
        assertThat(stored.event().aggregateId()).isNull();
        assertThat(stored.event().tenantId()).isNull();
        assertThat(stored.event().headersJson()).isNull();
        assertThat(stored.envelope().aggregateType()).isEqualTo(event.aggregateType());
    }

    @Test
    void insertNewOfADelayedEventSetsItsDueTime() {
        EventEnvelope event = EventEnvelope.builder(TYPE)
                .occurredAt(now)
                .availableAt(now.plusSeconds(60))
                .payloadJson("{}")
                .build();

        store.insertNew(conn, event);

        assertThat(stored(event.eventId()).createdAt()).isEqualTo(now);
        assertThat(stored(event.eventId()).availableAt()).isEqualTo(now.plusSeconds(60));
    }

    @Test
    void insertsBelongToTheCallersTransaction() throws SQLException {
        EventEnvelope single = event(0);
        List<EventEnvelope> batch = List.of(event(1), event(2));

        conn.setAutoCommit(false);
        store.insertNew(conn, single);
        store.insertBatch(conn, batch);
        conn.rollback();
        conn.setAutoCommit(true);

        assertThat(poll(10)).isEmpty();
    }

    @Test
    void insertBatchStoresAllInOrder() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            events.add(EventEnvelope.builder(TYPE)
                    .occurredAt(now.minusSeconds(60))
                    .header("number", String.valueOf(i))
                    .payloadJson("{\"number\":" + i + "}")
                    .build());
        }

        store.insertBatch(conn, events);
        store.insertBatch(conn, List.of());

        List<OutboxEvent> rows = poll(1000);
        assertThat(rows.stream().map(EventEnvelope::restore)).containsExactlyElementsOf(events);
    }

    @Test
    void markDoneEndsTheEventOnce() {
        String id = insertLocked();
        Instant before = Instant.now().minusSeconds(5);

        assertThat(store.markDone(conn, id)).isEqualTo(1);

        StoredEvent done = stored(id);
        assertThat(done.status()).isEqualTo(EventStatus.DONE);
        assertThat(done.doneAt()).isBetween(before, Instant.now().plusSeconds(5));
        assertUnlocked(done);
        assertThat(store.markDone(conn, id)).isZero();
        assertThat(stored(id)).isEqualTo(done);
    }

    @Test
    void markRetryCountsTheAttemptAndSchedulesTheNext() {
        String id = insertLocked();

        assertThat(store.markRetry(conn, id, now.plusSeconds(30), "first")).isEqualTo(1);

        StoredEvent retry = stored(id);
        assertThat(retry.status()).isEqualTo(EventStatus.RETRY);
        assertThat(retry.attempts()).isEqualTo(1);
        assertThat(retry.availableAt()).isEqualTo(now.plusSeconds(30));
        assertThat(retry.lastError()).isEqualTo("first");
        assertUnlocked(retry);
        assertThat(store.markRetry(conn, id, now.plusSeconds(60), null)).isEqualTo(1);
        assertThat(stored(id).attempts()).isEqualTo(2);
        assertThat(stored(id).lastError()).isNull();
    }

    @Test
    void markDeadKeepsTheErrorAndTheAttempts() {
        String id = insertLocked();
        store.markRetry(conn, id, now, "first");

        assertThat(store.markDead(conn, id, "given up")).isEqualTo(1);

        StoredEvent dead = stored(id);
        assertThat(dead.status()).isEqualTo(EventStatus.DEAD);
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(dead.lastError()).isEqualTo("given up");
        assertUnlocked(dead);
    }

    @Test
    void markDeferredReschedulesWithoutAnAttempt() {
        String id = insertLocked();
        store.markRetry(conn, id, now.minusSeconds(1), "first");

        assertThat(store.markDeferred(conn, id, now.plusSeconds(30))).isEqualTo(1);

        StoredEvent deferred = stored(id);
        assertThat(deferred.status()).isEqualTo(EventStatus.NEW);
        assertThat(deferred.attempts()).isEqualTo(1);
        assertThat(deferred.availableAt()).isEqualTo(now.plusSeconds(30));
        assertUnlocked(deferred);
    }

    @Test
    void finishedEventsAreNotMarkedAgain() {
        String done = insert(event(0));
        String dead = insert(event(1));
        store.markDone(conn, done);
        store.markDead(conn, dead, "the end");

        for (String id : List.of(done, dead)) {
            StoredEvent before = stored(id);
            assertThat(store.markDone(conn, id)).isZero();
            assertThat(store.markRetry(conn, id, now, "late")).isZero();
            assertThat(store.markDead(conn, id, "late")).isZero();
            assertThat(store.markDeferred(conn, id, now)).isZero();
            assertThat(stored(id)).isEqualTo(before);
        }
    }

    @Test
    void unknownEventsAreNotMarked() {
        assertThat(store.markDone(conn, "unknown")).isZero();
        assertThat(store.markRetry(conn, "unknown", now, "x")).isZero();
        assertThat(store.markDead(conn, "unknown", "x")).isZero();
        assertThat(store.markDeferred(conn, "unknown", now)).isZero();
    }

    @Test
    void errorsAreCutToWhatFitsEveryDatabase() {
        String retry = insert(event(0));
        String dead = insert(event(1));
        String tooLong = "ä".repeat(5_000);

        store.markRetry(conn, retry, now, tooLong);
        store.markDead(conn, dead, tooLong);

        assertThat(stored(retry).lastError()).isEqualTo("ä".repeat(Outcome.MAX_ERROR_LENGTH));
        assertThat(stored(dead).lastError()).isEqualTo("ä".repeat(Outcome.MAX_ERROR_LENGTH));
    }

    @Test
    void pollPendingReturnsDueEventsOldestFirst() {
        List<EventEnvelope> events = events(30);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(2));
        shuffled.forEach(this::insert);

        assertThat(ids(poll(100))).containsExactlyElementsOf(EngineTest.ids(events));
        assertThat(ids(poll(7)))
                .containsExactlyElementsOf(EngineTest.ids(events).subList(0, 7));
    }

    @Test
    void pollPendingReturnsNewAndRetryButNoFinishedOrFutureEvents() {
        String fresh = insert(event(0));
        String retry = insert(event(1));
        String later = insert(event(2));
        String done = insert(event(3));
        String dead = insert(event(4));
        store.markRetry(conn, retry, now, "x");
        store.markRetry(conn, later, now.plusNanos(1_000), "x");
        store.markDone(conn, done);
        store.markDead(conn, dead, "x");

        List<OutboxEvent> due = store.pollPending(conn, now, Duration.ZERO, 10);

        assertThat(ids(due)).containsExactlyInAnyOrder(fresh, retry);
        assertThat(ids(store.pollPending(conn, now.plusNanos(1_000), Duration.ZERO, 10)))
                .containsExactlyInAnyOrder(fresh, retry, later);
        assertThat(due)
                .filteredOn(row -> row.eventId().equals(retry))
                .allSatisfy(row -> assertThat(row.attempts()).isEqualTo(1));
    }

    @Test
    void pollPendingSkipsRecentEvents() {
        String id = insert(EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(10))
                .payloadJson("{}")
                .build());

        assertThat(store.pollPending(conn, now, Duration.ofSeconds(11), 10)).isEmpty();
        assertThat(ids(store.pollPending(conn, now, Duration.ofSeconds(10), 10)))
                .containsExactly(id);
    }

    @Test
    void claimPendingLocksWhatItReturns() {
        List<EventEnvelope> events = events(5);
        store.insertBatch(conn, events);

        List<OutboxEvent> claimed = claim("a", now, now.minusSeconds(60), 3);

        assertThat(ids(claimed))
                .containsExactlyElementsOf(EngineTest.ids(events).subList(0, 3));
        assertThat(claimed).allSatisfy(row -> {
            assertThat(stored(row.eventId()).lockedBy()).isEqualTo("a");
            assertThat(stored(row.eventId()).lockedAt()).isEqualTo(now);
            assertThat(stored(row.eventId()).status()).isEqualTo(EventStatus.NEW);
        });
        assertThat(ids(claim("b", now, now.minusSeconds(60), 10)))
                .containsExactlyElementsOf(EngineTest.ids(events).subList(3, 5));
        assertThat(claim("a", now, now.minusSeconds(60), 10)).isEmpty();
    }

    @Test
    void claimPendingTakesOverLocksFromBeforeTheExpiry() {
        String id = insert(event(0));
        claim("a", now, now.minusSeconds(60), 10);

        assertThat(claim("b", now.plusSeconds(30), now, 10)).isEmpty();
        assertThat(ids(claim("b", now.plusSeconds(60), now.plusNanos(1_000), 10)))
                .containsExactly(id);
        assertThat(stored(id).lockedBy()).isEqualTo("b");
        assertThat(stored(id).lockedAt()).isEqualTo(now.plusSeconds(60));
    }

    @Test
    void claimPendingTakesOnlyDueEventsThatAreOldEnough() {
        insert(EventEnvelope.builder(TYPE)
                .occurredAt(now)
                .availableAt(now.plusSeconds(1))
                .payloadJson("{}")
                .build());
        String recent = insert(event(0));

        assertThat(store.claimPending(conn, "a", now, now.minusSeconds(60), Duration.ofHours(2), 10))
                .isEmpty();
        assertThat(ids(claim("a", now, now.minusSeconds(60), 10))).containsExactly(recent);
    }

    @Test
    void claimPendingReturnsRetriesOnceTheirMarkHasUnlockedThem() {
        String id = insert(event(0));
        claim("a", now, now.minusSeconds(60), 10);

        store.markRetry(conn, id, now, "x");

        List<OutboxEvent> claimed = claim("b", now, now.minusSeconds(60), 10);
        assertThat(ids(claimed)).containsExactly(id);
        assertThat(claimed.get(0).attempts()).isEqualTo(1);
    }

    @Test
    void concurrentClaimsOnSeparateConnectionsShareNothing() {
        List<EventEnvelope> events = events(200);
        store.insertBatch(conn, events);
        Map<String, Integer> claims = new ConcurrentHashMap<>();
        List<Callable<Void>> claimers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String owner = "node-" + i;
            claimers.add(() -> {
                try (Connection own = openConnection()) {
                    Instant giveUpAt = Instant.now().plusSeconds(30);
                    while (claims.size() < events.size()) {
                        assertThat(Instant.now()).as("claims still to make").isBefore(giveUpAt);
                        store.claimPending(own, owner, now, now.minusSeconds(60), Duration.ZERO, 5)
                                .forEach(row -> claims.merge(row.eventId(), 1, Integer::sum));
                    }
                }
                return null;
            });
        }

        EngineTest.inParallel(claimers);

        EngineTest.assertNoDuplicates(claims, events.size());
    }

    @Test
    void queryDeadFiltersAndReturnsTheOldestFirst() {
        List<EventEnvelope> events = events(6);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(4));
        shuffled.forEach(event -> store.markDead(conn, insert(event), "dead"));
        EventEnvelope other = EventEnvelope.builder("Other")
                .aggregateType("Order")
                .occurredAt(now)
                .payloadJson("{}")
                .build();
        store.markDead(conn, insert(other), "dead");
        insert(event(99));

        List<String> all = new ArrayList<>(EngineTest.ids(events));
        all.add(other.eventId());
        assertThat(ids(store.queryDead(conn, null, null, 100))).containsExactlyElementsOf(all);
        assertThat(ids(store.queryDead(conn, null, null, 2))).containsExactlyElementsOf(all.subList(0, 2));
        assertThat(ids(store.queryDead(conn, "Other", null, 10))).containsExactly(other.eventId());
        assertThat(ids(store.queryDead(conn, null, "Order", 10))).containsExactly(other.eventId());
        assertThat(store.queryDead(conn, TYPE, "Order", 10)).isEmpty();
        assertThat(store.countDead(conn, null)).isEqualTo(7);
        assertThat(store.countDead(conn, TYPE)).isEqualTo(6);
        assertThat(store.countDead(conn, "Nothing")).isZero();
    }

    @Test
    void replayDeadResetsADeadEventOnce() {
        String id = insert(event(0));
        store.markRetry(conn, id, now.plusSeconds(3600), "one");
        store.markDead(conn, id, "two");

        assertThat(store.replayDead(conn, id)).isEqualTo(1);

        StoredEvent replayed = stored(id);
        assertThat(replayed.status()).isEqualTo(EventStatus.NEW);
        assertThat(replayed.attempts()).isZero();
        assertUnlocked(replayed);
        assertThat(replayed.availableAt()).isBeforeOrEqualTo(Instant.now().plusSeconds(5));
        assertThat(store.replayDead(conn, id)).isZero();
        assertThat(store.countDead(conn, null)).isZero();
    }

    @Test
    void replayDeadTouchesNoOtherEvent() {
        String fresh = insert(event(0));
        String done = insert(event(1));
        store.markDone(conn, done);

        assertThat(store.replayDead(conn, fresh)).isZero();
        assertThat(store.replayDead(conn, done)).isZero();
        assertThat(store.replayDead(conn, "unknown")).isZero();
        assertThat(stored(done).status()).isEqualTo(EventStatus.DONE);
    }

    // Vocabulary

    /** Returns an event that occurred an hour and some seconds ago; higher numbers are younger. */
    private EventEnvelope event(int number) {
        return EventEnvelope.builder(TYPE)
                .occurredAt(now.minusSeconds(3600).plusMillis(number))
                .payloadJson("{\"number\":" + number + "}")
                .build();
    }

    private List<EventEnvelope> events(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event(i));
        }
        return events;
    }

    private String insert(EventEnvelope event) {
        store.insertNew(conn, event);
        return event.eventId();
    }

    private String insertLocked() {
        String id = insert(event(0));
        assertThat(ids(claim("holder", now, now.minusSeconds(60), 1))).containsExactly(id);
        return id;
    }

    private List<OutboxEvent> poll(int limit) {
        return store.pollPending(conn, now, Duration.ZERO, limit);
    }

    private List<OutboxEvent> claim(String ownerId, Instant at, Instant lockExpiry, int limit) {
        return store.claimPending(conn, ownerId, at, lockExpiry, Duration.ZERO, limit);
    }

    private StoredEvent stored(String eventId) {
        return JdbcStoredEvents.find(conn, tableName(), eventId)
                .orElseThrow(() -> new AssertionError("event " + eventId + " is not stored"));
    }

    private static void assertUnlocked(StoredEvent event) {
        assertThat(event.lockedBy()).isNull();
        assertThat(event.lockedAt()).isNull();
    }

    private static List<String> ids(List<OutboxEvent> rows) {
        return EngineTest.rowIds(rows);
    }
}
