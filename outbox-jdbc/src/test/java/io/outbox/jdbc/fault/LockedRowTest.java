package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody else keeps the row of one event locked: that concerns this event and no other. */
@SuppressWarnings("try") // a console is open, no more
class LockedRowTest {

    private static final Lease LEASE = new Lease("node", Duration.ofMinutes(5));
    private static final int HELD = 300;
    /** Far longer than the calls take, and shorter than a server lets them wait for a lock. */
    private static final long SOON_SECONDS = 15;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private <T> T soon(Callable<T> call) throws Exception {
        return threads.submit(call).get(SOON_SECONDS, TimeUnit.SECONDS);
    }

    /** A transaction at a console that has locked an event and is left open. */
    private record Console(Connection conn) implements AutoCloseable {

        static Console locking(HikariDataSource pool, String eventId) throws SQLException {
            Connection conn = pool.getConnection();
            conn.setAutoCommit(false);
            try (PreparedStatement lock =
                    conn.prepareStatement("SELECT event_id FROM outbox_event WHERE event_id = ? FOR UPDATE")) {
                lock.setString(1, eventId);
                assertThat(lock.executeQuery().next()).isTrue();
            }
            return new Console(conn);
        }

        @Override
        public void close() throws SQLException {
            conn.rollback();
            conn.setAutoCommit(true);
            conn.close();
        }
    }

    private static List<String> claimed(JdbcOutbox jdbc, OutboxBackend backend) throws SQLException {
        try (Connection conn = jdbc.connectionProvider().getConnection()) {
            jdbc.store().insertBatch(conn, DeliveryFixture.events(HELD));
        }
        return backend.claim(ClaimRequest.first(LEASE, backend.currentTime().plusSeconds(1), HELD)).events().stream()
                .map(DueEvent::eventId)
                .toList();
    }

    private static List<Outcome> outcomes(List<String> ids) {
        Instant now = Instant.now();
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            outcomes.add(
                    i % 3 == 0
                            ? new Outcome.Failed(ids.get(i), now.plusSeconds(60), 0, 10, "broken")
                            : new Outcome.Done(ids.get(i), now));
        }
        return outcomes;
    }

    private static List<String> without(List<String> ids, String one) {
        return ids.stream().filter(id -> !id.equals(one)).toList();
    }

    private void assertNamed(String locked, Callable<?> call) {
        assertThatExceptionOfType(EventsLockedException.class)
                .isThrownBy(() -> unwrapped(call))
                .satisfies(e -> assertThat(e.eventIds()).containsExactly(locked))
                .withMessageContaining(locked);
    }

    private void unwrapped(Callable<?> call) throws Throwable {
        try {
            soon(call);
        } catch (ExecutionException e) {
            throw e.getCause();
        }
    }

    @ParameterizedTest
    @EnumSource
    void outcomesRenewalsAndReleasesNameItAndGoOnWithoutIt(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            assertNamedAndLeftOut(pool, jdbc, jdbc.backend());
        }
    }

    @ParameterizedTest
    @EnumSource
    void alsoWithDeadLetters(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            assertNamedAndLeftOut(pool, jdbc, jdbc.backend());
        }
    }

    private void assertNamedAndLeftOut(HikariDataSource pool, JdbcOutbox jdbc, OutboxBackend backend) throws Exception {
        List<String> ids = claimed(jdbc, backend);
        String node = LEASE.holder();
        String locked = ids.get(HELD / 2);
        List<String> others = without(ids, locked);
        List<Outcome> done = ids.stream()
                .map(id -> (Outcome) new Outcome.Done(id, Instant.now()))
                .toList();
        try (Console console = Console.locking(pool, locked)) {
            assertNamed(locked, () -> backend.renew(node, ids));
            assertNamed(locked, () -> backend.apply(node, done));
            assertNamed(locked, () -> backend.apply(node, outcomes(ids)));
            assertNamed(locked, () -> backend.release(node, ids));
            assertThat(OutboxRows.done(pool)).isEmpty();

            assertThat(soon(() -> backend.renew(node, others))).containsExactlyInAnyOrderElementsOf(others);
            assertThat(soon(() -> backend.release(node, others.subList(0, 50)))).isEqualTo(50);
            assertThat(soon(() -> backend.apply(node, outcomes(others.subList(50, HELD - 1)))))
                    .hasSize(HELD - 51);
        }
        assertThat(soon(() -> backend.apply(node, outcomes(List.of(locked))))).containsOnlyKeys(locked);
    }

    /** What is finished, or somebody else's, is not to be changed, so it does not matter who has locked it. */
    @ParameterizedTest
    @EnumSource
    void aLockOnWhatIsNotToBeChangedDoesNotMatter(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxBackend backend = jdbc.backend();
            List<String> ids = claimed(jdbc, backend);
            String finished = ids.get(7);
            backend.apply(LEASE.holder(), List.of(new Outcome.Done(finished, Instant.now())));
            try (Console console = Console.locking(pool, finished)) {
                assertThat(soon(() -> backend.renew(LEASE.holder(), ids))).hasSize(HELD - 1);
                assertThat(soon(() -> backend.apply(LEASE.holder(), outcomes(without(ids, finished)))))
                        .hasSize(HELD - 1);
            }
        }
    }

    /**
     * Two nodes, one row of the first locked for longer than the lease: everything else is delivered once, and
     * recorded.
     */
    @ParameterizedTest
    @EnumSource
    void aNodeGoesOnWithEverythingElse(TestDatabase database) throws Exception {
        Duration lease = Duration.ofSeconds(3);
        Queue<String> deliveries = new ConcurrentLinkedQueue<>();
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 14)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            String[] held = new String[1];
            CountDownLatch goOn = new CountDownLatch(1);
            listeners.register(DeliveryFixture.TYPE, event -> {
                deliveries.add(event.eventId());
                if (event.eventId().equals(held[0])) {
                    goOn.await();
                }
                return DispatchResult.done();
            });
            try (Outbox first = node("first", jdbc, listeners, lease)) {
                List<EventEnvelope> events = DeliveryFixture.events(200);
                held[0] = events.get(0).eventId();
                write(jdbc, first, events.subList(0, 1));
                await().until(() -> !deliveries.isEmpty());
                try (Console console = Console.locking(pool, held[0]);
                        Outbox second = node("second", jdbc, listeners, lease)) {
                    goOn.countDown();
                    long end = System.nanoTime() + lease.multipliedBy(2).toNanos();
                    for (int i = 1; i < events.size(); i++) {
                        write(jdbc, first, events.subList(i, i + 1));
                        await().pollDelay(Duration.ZERO)
                                .pollInterval(Duration.ofMillis(10))
                                .until(pacer(end, events.size() - i));
                    }
                    await().atMost(Duration.ofSeconds(SOON_SECONDS))
                            .until(() -> OutboxRows.done(pool).size() == events.size() - 1);
                    assertThat(OutboxRows.done(pool)).doesNotContain(held[0]);
                }
                await().atMost(Duration.ofSeconds(SOON_SECONDS))
                        .until(() -> OutboxRows.done(pool).size() == events.size());
                assertThat(deliveries.stream().filter(id -> !id.equals(held[0])))
                        .as("everything but the locked event is delivered once")
                        .doesNotHaveDuplicates()
                        .hasSize(events.size() - 1);
            }
        }
    }

    /** Spreads what is left evenly over the time that is left. */
    private static Callable<Boolean> pacer(long end, int left) {
        long next = System.nanoTime() + Math.max(0, end - System.nanoTime()) / left;
        return () -> System.nanoTime() - next >= 0;
    }

    /** The locked event is tried again and again; that is no reason to leave the events of a dead node alone. */
    @ParameterizedTest
    @EnumSource
    void eventsOfADeadNodeAreTakenOverMeanwhile(TestDatabase database) throws Exception {
        Duration lease = Duration.ofSeconds(2);
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 10)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            DefaultListenerRegistry listeners = new DefaultListenerRegistry();
            CountDownLatch goOn = new CountDownLatch(1);
            String[] held = new String[1];
            listeners.register(DeliveryFixture.TYPE, event -> {
                if (event.eventId().equals(held[0])) {
                    goOn.await();
                }
                return DispatchResult.done();
            });
            List<EventEnvelope> events = DeliveryFixture.events(1);
            held[0] = events.get(0).eventId();
            try (Outbox outbox = node("live", jdbc, listeners, lease)) {
                write(jdbc, outbox, events);
                await().until(() ->
                        OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE locked_by IS NOT NULL") == 1);
                try (Console console = Console.locking(pool, held[0])) {
                    goOn.countDown();
                    List<EventEnvelope> ofDead = DeliveryFixture.events(100);
                    try (Connection conn = pool.getConnection()) {
                        jdbc.store().insertBatch(conn, ofDead);
                    }
                    jdbc.backend()
                            .claim(ClaimRequest.first(
                                    new Lease("dead", lease),
                                    jdbc.backend().currentTime().plusSeconds(1),
                                    100));

                    await().atMost(Duration.ofSeconds(SOON_SECONDS))
                            .until(() -> OutboxRows.done(pool).size() == 100);
                }
            }
        }
    }

    private static Outbox node(String name, JdbcOutbox jdbc, DefaultListenerRegistry listeners, Duration lease) {
        return Outbox.multiNode()
                .claimLocking(name, lease)
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .intervalMs(100)
                .build();
    }

    private static void write(JdbcOutbox jdbc, Outbox outbox, List<EventEnvelope> events) {
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
    }
}
