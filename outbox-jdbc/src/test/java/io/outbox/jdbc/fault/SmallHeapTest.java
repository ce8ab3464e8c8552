package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backlogs that are far bigger than the heap of the node that delivers them. */
class SmallHeapTest {

    private static final String HEAP = "-Xmx64m";
    private static final String EVENT_TYPE = "Backlogged";

    /** A kilobyte of payload each, so that a tenth of them would fill the heap. */
    private static final String INSERT = """
            INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)
            SELECT '01' || (100000000 + i), '%s', '{"text":"' || repeat('x', 1000) || '"}', 0,
                   TIMESTAMP '2025-01-01' + i * INTERVAL '1 ms', TIMESTAMP '2025-01-01' + i * INTERVAL '1 ms'
            FROM generate_series(1, %d) AS numbers (i)
            """;

    @TempDir
    Path directory;

    @Test
    void aBacklogOfAHundredThousandIsDeliveredWithASmallHeap() throws Exception {
        assertDrains(100_000, Duration.ofMinutes(3));
    }

    @Test
    @Tag("soak")
    void aBacklogOfAMillionIsDeliveredWithASmallHeap() throws Exception {
        assertDrains(1_000_000, Duration.ofMinutes(20));
    }

    private void assertDrains(int events, Duration atMost) throws Exception {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource pool = TestDatabase.pool(url, 2)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, INSERT.formatted(EVENT_TYPE, events), "VACUUM ANALYZE outbox_event");
            Path output = directory.resolve("drain.out");
            List<String> command = ChildJvm.command(List.of(HEAP, "-XX:+ExitOnOutOfMemoryError"), DrainMain.class);
            command.addAll(List.of(url, EVENT_TYPE, Integer.toString(events)));
            Process drain = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
            try {
                assertThat(drain.waitFor(atMost.toSeconds(), TimeUnit.SECONDS))
                        .as("ended in time: " + Files.readString(output))
                        .isTrue();
            } finally {
                drain.destroyForcibly();
            }

            assertThat(drain.exitValue()).as(Files.readString(output)).isZero();
            assertThat(Files.readString(output)).isEmpty();
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE status = 1 AND attempts = 0"))
                    .isEqualTo(events);
        }
    }
}
