package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a claim of keys gets if something happens between the steps in which it reads and locks. */
class KeyedClaimRaceTest {

    private HikariDataSource pool;
    private OutboxBackend claimant;
    private OutboxBackend other;
    private List<String> events;
    private Runnable beforeLocking = () -> {};

    @AfterEach
    void close() {
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void whatIsReadAsFreeIsTestedAgainUnderLock(TestDatabase database) {
        open(database);

        assertThat(claimMeanwhile(
                        database,
                        () -> assertThat(ids(claim(other, "other", 10))).isEqualTo(events)))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void followersAreTakenOnlyWithTheirHead(TestDatabase database) {
        open(database);

        assertThat(claimMeanwhile(
                        database,
                        () -> assertThat(ids(claim(other, "other", 1))).containsExactly(events.get(0))))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void aRunOfWhichSomethingWasNotWonGivesNothing(TestDatabase database) {
        open(database);

        assertThat(claimMeanwhile(database, () -> {
                    claim(other, "other", 10);
                    other.apply(
                            "other",
                            List.of(new Outcome.Deferred(
                                    events.get(1), Instant.now().plusSeconds(3600))));
                    other.release("other", List.of(events.get(0), events.get(2)));
                }))
                .isEmpty();
    }

    /** The head was replayed, or its transaction committed late; the other read what follows before that. */
    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void aHeadIsNotTakenBesideAFollowerThatSomebodyHasJustTaken(TestDatabase database) {
        open(database);

        assertThat(claimMeanwhile(
                        database,
                        () -> OutboxRows.execute(
                                pool,
                                "UPDATE outbox_event SET locked_by = 'other', locked_at = CURRENT_TIMESTAMP"
                                        + " WHERE event_id = '" + events.get(1) + "'")))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL", "MYSQL", "MARIADB"})
    void aRowThatSomebodyHasLockedIsNotPassedOver(TestDatabase database) throws Exception {
        open(database);
        try (Connection stranger = pool.getConnection()) {
            stranger.setAutoCommit(false);
            JdbcTemplate.query(
                    stranger,
                    "SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE",
                    row -> row.getString(1),
                    events.get(1));

            assertThat(ids(claim(claimant, "node", 10))).isEmpty();
            stranger.rollback();
        }
    }

    /** Claims while something happens between what the claim reads and what it locks; returns what it got. */
    private List<String> claimMeanwhile(TestDatabase database, Runnable action) {
        if (database == TestDatabase.POSTGRESQL) {
            return claimInOneStatementMeanwhile(action);
        }
        beforeLocking = action;
        return ids(claim(claimant, "node", 10));
    }

    /** The function by which the statement finds out how long rows are waits for a lock, before any row is locked. */
    private List<String> claimInOneStatementMeanwhile(Runnable action) {
        OutboxRows.execute(
                pool,
                "CREATE SCHEMA slow",
                "CREATE FUNCTION slow.octet_length(value text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
                        + " PERFORM pg_advisory_lock_shared(42); PERFORM pg_advisory_unlock_shared(42);"
                        + " RETURN pg_catalog.octet_length(value); END $$");
        try (HikariDataSource slow =
                        TestDatabase.pool(pool.getJdbcUrl() + "&options=-c%20search_path=slow,pg_catalog,public", 1);
                Connection lock = pool.getConnection()) {
            OutboxBackend slowly = JdbcOutbox.of(slow, "public.outbox_event").backend();
            slowly.prepareKeys();
            JdbcTemplate.query(lock, "SELECT pg_advisory_lock(42)", row -> true);
            CompletableFuture<KeyedPage> claimed = CompletableFuture.supplyAsync(() -> claim(slowly, "node", 10));
            await().until(() ->
                    OutboxRows.number(pool, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
                            == 1);
            action.run();
            JdbcTemplate.query(lock, "SELECT pg_advisory_unlock(42)", row -> true);
            return ids(claimed.join());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void open(TestDatabase database) {
        pool = TestDatabase.pool(database.newUrl(), 4);
        other = JdbcOutbox.of(pool).createSchema().backend();
        OutboxSchema.of(pool).createKeyedIfMissing();
        other.prepareKeys();
        claimant = JdbcOutbox.of(interrupted(pool)).backend();
        claimant.prepareKeys();
        List<NewEvent> written = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            written.add(NewEvent.unowned(EventEnvelope.builder("type")
                            .aggregateId("k")
                            .payloadJson("{}")
                            .build())
                    .withOrderKey("k"));
        }
        JdbcOutbox jdbc = JdbcOutbox.of(pool);
        try (var tx = jdbc.begin()) {
            OutboxBackend writer = jdbc.backend();
            writer.prepareKeys();
            writer.persist(written);
            tx.commit();
        }
        events = written.stream().map(event -> event.event().eventId()).toList();
    }

    /** Lets something happen once, right before a statement that locks rows or notes an owner. */
    private DataSource interrupted(DataSource target) {
        return proxy(
                DataSource.class,
                target,
                (method, result) -> result instanceof Connection conn
                        ? proxy(Connection.class, conn, (prepare, statement) -> statement)
                        : result);
    }

    private interface Wrapping {
        Object wrap(String method, Object result);
    }

    private <T> T proxy(Class<T> type, T target, Wrapping wrapping) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (args != null && args.length > 0 && args[0] instanceof String sql && locks(sql)) {
                Runnable action = beforeLocking;
                beforeLocking = () -> {};
                action.run();
            }
            try {
                return wrapping.wrap(method.getName(), method.invoke(target, args));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private static boolean locks(String sql) {
        return sql.contains("FOR UPDATE") || sql.startsWith("UPDATE");
    }

    private static KeyedPage claim(OutboxBackend backend, String node, int run) {
        return backend.claimKeyed(new KeyedRequest(
                new Lease(node, Duration.ofHours(1)),
                Instant.now().plusSeconds(60),
                Instant.EPOCH,
                LostClaims.NONE,
                EventTypes.ALL,
                List.of("k"),
                new KeyedRequest.Limit(run, Long.MAX_VALUE)));
    }

    private static List<String> ids(KeyedPage page) {
        return page.events().stream().map(event -> event.row().eventId()).toList();
    }
}
