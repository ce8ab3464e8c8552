package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DueEvent;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pools whose connections run at a stricter isolation, at which PostgreSQL gives up what meets another's update. */
class PostgresIsolationTest {

    private static final int EVENTS = 4_000;
    private static final int NODES = 4;
    private static final int BATCH = 40;
    /** Several times what it takes; each conflict that is not resolved at once would cost an interval of the poller. */
    private static final long AT_MOST_SECONDS = 60;

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void nodesThatClaimFinishAndPurgeSideBySideDoNotFail(String isolation) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(TestDatabase.POSTGRESQL.newUrl());
        config.setTransactionIsolation(isolation);
        config.setMaximumPoolSize(NODES + 1);
        ExecutorService threads = Executors.newFixedThreadPool(NODES + 1);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            try (Connection conn = pool.getConnection()) {
                jdbc.store().insertBatch(conn, DeliveryFixture.events(EVENTS));
            }
            List<Callable<Integer>> nodes = new ArrayList<>();
            for (int i = 0; i < NODES; i++) {
                Lease lease = new Lease("node-" + i, Duration.ofMinutes(5));
                nodes.add(() -> deliver(jdbc.backend(), lease));
            }
            nodes.add(() -> purgeAFew(jdbc.backend()));
            int delivered = 0;
            for (Future<Integer> node : threads.invokeAll(nodes, AT_MOST_SECONDS, TimeUnit.SECONDS)) {
                delivered += node.get();
            }

            assertThat(delivered).isEqualTo(EVENTS);
            assertThat(OutboxRows.where(pool, "status <> 1")).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    /** Claims, renews and finishes until nothing is left, a tenth of the events after a failure; returns how many. */
    private static int deliver(OutboxBackend backend, Lease lease) {
        int delivered = 0;
        while (true) {
            Instant now = backend.currentTime();
            List<String> ids = backend.claim(ClaimRequest.first(lease, now, BATCH)).events().stream()
                    .map(DueEvent::eventId)
                    .toList();
            if (ids.isEmpty() && backend.oldestDueAt(now).isEmpty()) {
                return delivered;
            }
            assertThat(backend.renew(lease.ownerId(), ids)).hasSameSizeAs(ids);
            List<Outcome> outcomes = IntStream.range(0, ids.size())
                    .mapToObj(i -> i % 10 == 9
                            ? (Outcome) new Outcome.Failed(ids.get(i), now.minusSeconds(1), 0, 1_000, "broken")
                            : new Outcome.Done(ids.get(i), now))
                    .toList();
            assertThat(backend.apply(lease.ownerId(), outcomes)).hasSameSizeAs(ids);
            delivered += (int)
                    outcomes.stream().filter(Outcome.Done.class::isInstance).count();
        }
    }

    /** Looks for old events, of which there are none, while others end. */
    private static int purgeAFew(OutboxBackend backend) {
        int purged = 0;
        for (int i = 0; i < 20; i++) {
            purged += backend.purge(Instant.now().minusSeconds(3600), BATCH);
            assertThat(backend.counts()).hasSizeLessThan(2);
        }
        return purged;
    }
}
