package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A table that was empty when the application started and has grown since, before PostgreSQL looked at it again. Plans
 * that suited the empty table would read all of the big one.
 */
class PostgresGrowingTableTest {

    private static final int ENOUGH_TO_KEEP_A_PLAN = 20;
    private static final int BATCH = 8;
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));

    private final BigTable data = new PostgresIndexUseTest().data();
    /** One connection: statements and plans are kept by each for itself. */
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 1);

    private OutboxBackend backend;

    @BeforeEach
    void createEmptyTable() {
        backend = JdbcOutbox.of(pool).createSchema().backend();
        OutboxRows.execute(
                pool, "ALTER TABLE outbox_event SET (autovacuum_enabled = false)", "VACUUM ANALYZE outbox_event");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void plansOfTheEmptyTableAreNotKept() {
        for (int i = 0; i < ENOUGH_TO_KEEP_A_PLAN; i++) {
            OutboxRows.execute(pool, data.insertPending("outbox_event", i * 2 * BATCH, 2 * BATCH));
            useEveryStatement();
            OutboxRows.execute(pool, "DELETE FROM outbox_event");
        }
        OutboxRows.execute(pool, data.insertFinished("outbox_event", 0, 50_000));
        OutboxRows.execute(pool, data.insertPending("outbox_event", 10_000, 50_000));
        long before = rowsReadByScans();

        useEveryStatement();

        assertThat(rowsReadByScans() - before).isZero();
    }

    private void useEveryStatement() {
        backend.fetch(FetchRequest.first(Instant.now(), BATCH));
        backend.nextDueAt(Instant.now());
        assertThat(backend.oldestDueAt(Instant.now())).isPresent();
        List<String> ids = backend.claim(ClaimRequest.first(LEASE, Instant.now(), 2 * BATCH)).events().stream()
                .map(DueEvent::eventId)
                .toList();
        assertThat(ids).hasSize(2 * BATCH);
        backend.renew(LEASE.ownerId(), ids);
        backend.release(LEASE.ownerId(), ids.subList(BATCH, 2 * BATCH));
        Instant now = Instant.now();
        backend.apply(LEASE.ownerId(), List.of(new Outcome.Done(ids.get(0), now), new Outcome.Done(ids.get(1), now)));
        backend.apply(
                LEASE.ownerId(),
                List.of(
                        new Outcome.Failed(ids.get(2), now, 0, 10, "broken"),
                        new Outcome.Failed(ids.get(3), now, 0, 10, "broken"),
                        new Outcome.Deferred(ids.get(4), now),
                        new Outcome.Deferred(ids.get(5), now),
                        new Outcome.Dead(ids.get(6), "hopeless"),
                        new Outcome.Dead(ids.get(7), "hopeless")));
        assertThat(backend.queryDead(new DeadQuery(null, null, BATCH, null)).items())
                .isNotEmpty();
        assertThat(backend.replayDead(List.of(ids.get(6)))).isOne();
        assertThat(backend.purge(Instant.now(), 1)).isOne();
    }

    private long rowsReadByScans() {
        OutboxRows.number(pool, "SELECT 1 FROM pg_stat_force_next_flush()");
        return OutboxRows.number(pool, "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'outbox_event'");
    }
}
