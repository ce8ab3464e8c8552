package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimRequest.Scope;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.PageCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a claim writes and what it reports. */
class ClaimTest {

    private static final Duration LEASE = Duration.ofMinutes(5);

    @ParameterizedTest
    @EnumSource
    void aLockBeginsWhenTheStatementLocksAndNotWhenTheClaimWasAskedFor(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            Instant before = store.currentTime(conn);
            Instant longAgo = before.minus(Duration.ofHours(1));
            EventEnvelope event = eventAt(longAgo.minusSeconds(1));
            store.insertNew(conn, event);

            ClaimedPage claimed = delivery(store, conn).claim(ClaimRequest.first(new Lease("late", LEASE), longAgo, 1));

            assertThat(claimed.events()).hasSize(1);
            // Seen by one whose lease is as long as the lock is old at most.
            Instant after = store.currentTime(conn);
            Lease sinceTheClaim =
                    new Lease("other", Duration.between(before, after).plusMillis(1));
            assertThat(delivery(store, conn)
                            .claim(ClaimRequest.first(sinceTheClaim, after, 1))
                            .events())
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSpecifiedClaimLocksAtTheTimeItIsGiven(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            Instant longAgo = Instant.parse("2025-03-01T10:00:00.123456Z");
            store.insertNew(conn, eventAt(longAgo.minusSeconds(1)));

            List<OutboxEvent> claimed =
                    store.claimPending(conn, "node", longAgo, longAgo.minus(LEASE), Duration.ZERO, 5);

            assertThat(claimed).hasSize(1);
            assertThat(OutboxRows.texts(pool, "SELECT CAST(locked_at AS CHAR(26)) FROM outbox_event"))
                    .containsExactly("2025-03-01 10:00:00.123456");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsTakenOverIsCountedOnceHoweverManyClaim(TestDatabase database) throws Exception {
        int events = 1_500;
        int nodes = 4;
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), nodes)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            Instant now;
            try (Connection conn = pool.getConnection()) {
                AbstractJdbcOutboxStore store = jdbc.store();
                store.insertBatch(conn, DeliveryFixture.events(events));
                OutboxRows.execute(
                        pool,
                        "UPDATE outbox_event SET locked_by = 'dead', locked_at = TIMESTAMP '2025-01-01 00:00:00'");
                store.insertBatch(conn, DeliveryFixture.events(events));
                now = store.currentTime(conn);
            }
            Set<String> claimed = ConcurrentHashMap.newKeySet();
            List<Callable<Integer>> claimants = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                ClaimRequest request = ClaimRequest.first(new Lease("node-" + i, LEASE), now, 100);
                claimants.add(() -> claimAll(jdbc, request, claimed));
            }
            int takenOver = 0;
            for (Future<Integer> claimant : threads.invokeAll(claimants)) {
                takenOver += claimant.get();
            }

            assertThat(claimed).hasSize(2 * events);
            assertThat(takenOver).isEqualTo(events);
        } finally {
            threads.shutdown();
        }
    }

    /** Walks from the front until nothing is left. */
    private static int claimAll(JdbcOutbox jdbc, ClaimRequest request, Set<String> claimed) {
        int takenOver = 0;
        while (true) {
            PageCursor next = null;
            int got = 0;
            do {
                ClaimedPage page = jdbc.backend().claim(request.after(next));
                for (DueEvent due : page.events()) {
                    assertThat(claimed.add(due.eventId())).as("claimed once").isTrue();
                }
                takenOver += page.takenOver();
                got += page.events().size();
                next = page.next();
            } while (next != null);
            if (got == 0) {
                return takenOver;
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEventComesWithItsLastError(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            Instant now = store.currentTime(conn);
            EventEnvelope event = eventAt(now.minusSeconds(10));
            store.insertNew(conn, event);
            store.markRetry(conn, event.eventId(), now.minusSeconds(1), "broken");

            assertThat(delivery(store, conn).fetch(FetchRequest.first(now, 5)).items())
                    .extracting(DueEvent::lastError)
                    .containsExactly("broken");
            assertThat(delivery(store, conn)
                            .claim(ClaimRequest.first(new Lease("node", LEASE), now, 5))
                            .events())
                    .extracting(DueEvent::lastError)
                    .containsExactly("broken");
        }
    }

    @ParameterizedTest
    @EnumSource(names = "H2")
    void aCursorOfAnotherEngineIsRefused(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            PageCursor foreign = new PageCursor() {};

            assertThatThrownBy(() -> delivery(store, conn)
                            .fetch(FetchRequest.first(Instant.now(), 5).after(foreign)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("of this engine");
        }
    }

    private static EventEnvelope eventAt(Instant occurredAt) {
        return EventEnvelope.builder(DeliveryFixture.TYPE)
                .occurredAt(occurredAt)
                .payloadJson("{}")
                .build();
    }

    /**
     * A node that holds more events than a statement has parameters, and of one of whose claims the answer got lost.
     */
    @ParameterizedTest
    @EnumSource
    void aNodeThatHoldsVeryManyEventsStillClaims(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            Instant now = store.currentTime(conn);
            EventEnvelope left = eventAt(now.minusSeconds(3));
            EventEnvelope free = eventAt(now.minusSeconds(2));
            store.insertNew(conn, left);
            Lease before = new Lease("node", LEASE);
            delivery(store, conn).claim(ClaimRequest.first(before, now, 1));
            store.insertNew(conn, free);
            Set<String> known =
                    IntStream.range(0, 70_000).mapToObj(i -> "held-" + i).collect(Collectors.toSet());
            Scope scope =
                    new Scope(EventTypes.ALL, Duration.ZERO, false, new LostClaims(Set.of(before.holder()), known));

            ClaimedPage claimed =
                    delivery(store, conn).claim(new ClaimRequest(before.withToken(1), now, scope, 10, null));

            assertThat(claimed.events())
                    .extracting(DueEvent::eventId)
                    .contains(free.eventId())
                    .hasSize(database == TestDatabase.POSTGRESQL ? 2 : 1);
        }
    }

    /** A node that reads many types by name, and of one of whose claims the answer got lost. */
    @ParameterizedTest
    @EnumSource
    void whatALostClaimHasLockedIsFoundAmongManyTypes(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            OutboxSchema.of(pool).createLaneIndexIfMissing();
            delivery(store, conn).prepareReadsByType();
            Instant now = store.currentTime(conn);
            EventEnvelope left = eventAt(now.minusSeconds(3));
            EventEnvelope free = eventAt(now.minusSeconds(2));
            store.insertNew(conn, left);
            Lease before = new Lease("node", LEASE);
            delivery(store, conn).claim(ClaimRequest.first(before, now, 1));
            store.insertNew(conn, free);
            List<String> types = new ArrayList<>(List.of(DeliveryFixture.TYPE));
            IntStream.range(1, 20).forEach(i -> types.add("other-" + i));
            Set<String> known =
                    IntStream.range(0, 2_000).mapToObj(i -> "held-" + i).collect(Collectors.toSet());
            Scope scope = new Scope(
                    new EventTypes(types, false), Duration.ZERO, false, new LostClaims(Set.of(before.holder()), known));

            ClaimedPage claimed =
                    delivery(store, conn).claim(new ClaimRequest(before.withToken(1), now, scope, 10, null));

            assertThat(claimed.events())
                    .extracting(DueEvent::eventId)
                    .containsExactlyInAnyOrder(left.eventId(), free.eventId());
        }
    }
}
