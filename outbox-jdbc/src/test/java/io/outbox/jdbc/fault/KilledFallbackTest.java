package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** No event is DEAD before its fallback has returned, even if the process is killed in between. */
class KilledFallbackTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String DEAD = "SELECT COUNT(*) FROM outbox_event WHERE status = 3";
    private static final String CALLS = "SELECT COUNT(*) FROM fallback_call";

    @TempDir
    private Path directory;

    @Test
    void theFallbackOfAKilledProcessIsCalledAgainAndTheEventIsDeadAfterIt() throws Exception {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource pool = TestDatabase.pool(url, 2)) {
            OutboxRows.execute(pool, "CREATE TABLE fallback_call (event_id VARCHAR(40))");
            write(JdbcOutbox.of(pool).createSchema());

            try (ChildJvm killed = ChildJvm.start(FallbackMain.class, directory, url, "false")) {
                killed.awaitLine(FallbackMain.CALLED);
                killed.kill();
            }
            assertThat(OutboxRows.number(pool, CALLS)).isEqualTo(1);
            assertThat(OutboxRows.number(pool, DEAD)).isZero();

            try (ChildJvm successor = ChildJvm.start(FallbackMain.class, directory, url, "true")) {
                await().atMost(LIMIT).until(() -> OutboxRows.number(pool, DEAD) == 1);
                successor.requireAlive();
            }
            assertThat(OutboxRows.number(pool, CALLS)).isEqualTo(2);
        }
    }

    private static void write(JdbcOutbox jdbc) {
        try (Outbox outbox = Outbox.writerOnly().backend(jdbc.backend()).build();
                Transaction tx = jdbc.begin()) {
            outbox.writer().write(FallbackMain.EVENT_TYPE, "{}");
            tx.commit();
        }
    }
}
