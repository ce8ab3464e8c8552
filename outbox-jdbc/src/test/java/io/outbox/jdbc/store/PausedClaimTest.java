package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A node that stands still in the midst of a claim, its transaction open, beside nodes that go on. */
class PausedClaimTest {

    private static final Lease PAUSED = new Lease("paused", Duration.ofMinutes(5));
    private static final Lease HEALTHY = new Lease("healthy", Duration.ofMinutes(5));
    private static final int HELD = 300;
    private static final int CLAIMED = 50;
    /** Far longer than the calls take, and shorter than the time for which a server lets them wait for a lock. */
    private static final long AT_ONCE_SECONDS = 20;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch pausing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void endThreads() {
        goOn.countDown();
        threads.shutdownNow();
    }

    private Future<ClaimedPage> pauseClaim(HikariDataSource pool, Instant asOf) throws InterruptedException {
        return pauseClaim(pool, asOf, () -> {});
    }

    /** Lets a claim do everything but commit, and leaves it at that. */
    private Future<ClaimedPage> pauseClaim(HikariDataSource pool, Instant asOf, Runnable beforeLocking)
            throws InterruptedException {
        OutboxBackend paused = JdbcOutbox.of(Intercepted.dataSource(pool, call -> {
                    if (call.executes("FOR UPDATE")) {
                        beforeLocking.run();
                    } else if (call.name().equals("commit")) {
                        pausing.countDown();
                        goOn.await();
                    }
                    return call.proceed();
                }))
                .backend();
        Future<ClaimedPage> claim = threads.submit(() -> paused.claim(ClaimRequest.first(PAUSED, asOf, CLAIMED)));
        assertThat(pausing.await(AT_ONCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        return claim;
    }

    private <T> T atOnce(Callable<T> call) throws Exception {
        return threads.submit(call).get(AT_ONCE_SECONDS, TimeUnit.SECONDS);
    }

    private static void store(JdbcOutbox jdbc, int events) throws SQLException {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            jdbc.store().insertBatch(conn, DeliveryFixture.events(events));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void itHoldsUpNeitherOutcomesNorRenewalsOfAnother(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 5)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxBackend healthy = jdbc.backend();
            store(jdbc, HELD + 2 * CLAIMED);
            Instant now = healthy.currentTime().plusSeconds(1);
            List<String> held = healthy.claim(ClaimRequest.first(HEALTHY, now, HELD)).events().stream()
                    .map(DueEvent::eventId)
                    .toList();
            assertThat(held).hasSize(HELD);
            Future<ClaimedPage> claim = pauseClaim(pool, now);

            assertThat(atOnce(() -> healthy.renew(HEALTHY.ownerId(), held))).hasSize(HELD);
            List<Outcome> outcomes = new ArrayList<>();
            held.subList(0, HELD / 2).forEach(id -> outcomes.add(new Outcome.Done(id, now)));
            held.subList(HELD / 2, HELD)
                    .forEach(id -> outcomes.add(new Outcome.Failed(id, now.plusSeconds(60), 0, 10, "broken")));
            assertThat(atOnce(() -> healthy.apply(HEALTHY.ownerId(), outcomes))).hasSize(HELD);

            goOn.countDown();
            assertThat(claim.get().events())
                    .hasSize(CLAIMED)
                    .extracting(DueEvent::eventId)
                    .doesNotContainAnyElementsOf(held);
        }
    }

    /** What it has read is taken by another before it locks that; so it gets nothing, and must hold nothing. */
    @ParameterizedTest
    @CsvSource({"MYSQL, 1", "MYSQL, 2", "MYSQL, 50", "MARIADB, 1", "MARIADB, 2", "MARIADB, 50"})
    void aClaimThatComesTooLateHoldsUpNobody(TestDatabase database, int events) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 5)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxBackend healthy = jdbc.backend();
            store(jdbc, events);
            Instant now = healthy.currentTime().plusSeconds(1);
            List<String> taken = new CopyOnWriteArrayList<>();
            Future<ClaimedPage> claim = pauseClaim(
                    pool,
                    now,
                    () -> healthy.claim(ClaimRequest.first(HEALTHY, now, CLAIMED))
                            .events()
                            .forEach(event -> taken.add(event.eventId())));
            assertThat(taken).hasSize(events);

            assertThat(atOnce(() -> healthy.renew(HEALTHY.ownerId(), taken))).hasSize(events);
            List<Outcome> outcomes = new ArrayList<>();
            taken.forEach(id -> outcomes.add(new Outcome.Done(id, now)));
            assertThat(atOnce(() -> healthy.apply(HEALTHY.ownerId(), outcomes))).hasSize(events);

            goOn.countDown();
            assertThat(claim.get().events()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void aClaimThatFindsOnlyWhatItIsTakingGetsNothingAndGoesOnBehindIt(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 5)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxBackend healthy = jdbc.backend();
            store(jdbc, 2 * CLAIMED);
            Instant now = healthy.currentTime().plusSeconds(1);
            Future<ClaimedPage> claim = pauseClaim(pool, now);

            ClaimRequest request = ClaimRequest.first(HEALTHY, now, CLAIMED);
            ClaimedPage first = atOnce(() -> healthy.claim(request));
            assertThat(first.events()).isEmpty();
            assertThat(first.takenOver()).isZero();
            assertThat(first.next()).isNotNull();
            ClaimedPage second = atOnce(() -> healthy.claim(request.after(first.next())));
            assertThat(second.events()).hasSize(CLAIMED);

            goOn.countDown();
            assertThat(claim.get().events())
                    .hasSize(CLAIMED)
                    .extracting(DueEvent::eventId)
                    .doesNotContainAnyElementsOf(
                            second.events().stream().map(DueEvent::eventId).toList());
        }
    }
}
