package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much an outbox reads to deliver events behind the backlog of a paused lane. */
class PausedBacklogTest {

    private static final int BACKLOG = 50_000;
    private static final int OTHERS = 200;

    private final BigTable data = new PostgresIndexUseTest().data();
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4);

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void nothingOfTheBacklogIsRead() {
        JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
        OutboxRows.execute(
                pool,
                data.insertPending("outbox_event", 0, BACKLOG),
                data.insertPending("outbox_event", BACKLOG, OTHERS)
                        .replace("'" + BigTable.TYPE + "'", "CASE WHEN i % 2 = 0 THEN 'Even' ELSE 'Odd' END"));
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        registry.register("Even", event -> DispatchResult.done());
        registry.register("Odd", event -> DispatchResult.done());
        try (Outbox outbox = Outbox.multiNode()
                .backend(jdbc.backend())
                .claimLocking("node", Duration.ofSeconds(30))
                .startManually()
                .listenerRegistry(registry)
                .lane(BigTable.TYPE, LanePolicy.builder().build())
                .build()) {
            outbox.pause(BigTable.TYPE);
            jdbc.backend().prepareReadsByType();
            long before = entriesRead();
            outbox.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> OutboxRows.done(pool).size() == OTHERS);

            assertThat(entriesRead() - before).isLessThan(BACKLOG / 10);
        }
    }

    private long entriesRead() {
        OutboxRows.number(pool, "SELECT 1 FROM pg_stat_force_next_flush()");
        return OutboxRows.number(
                pool,
                "SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes"
                        + " WHERE indexrelname IN ('outbox_event_pending', 'outbox_event_pending_by_type')");
    }
}
