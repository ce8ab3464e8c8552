package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DueType;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What it costs to look for events while somebody has an old snapshot open: PostgreSQL must keep the index entries of
 * all that was finished since, and whoever begins at the front passes over them.
 */
class PostgresOldSnapshotTest {

    private static final int FINISHED = 200_000;
    private static final int A_FEW_BUFFERS = 100;
    private static final Pattern BUFFERS = Pattern.compile("shared hit=(\\d+)|read=(\\d+)");
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));
    private static final Instant FRONT = Instant.parse("1000-01-01T00:00:00Z");

    private final BigTable data = new PostgresIndexUseTest().data();
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 3);
    private final StatementRecorder recorder = new StatementRecorder();
    private OutboxBackend backend;
    private Connection reader;

    @BeforeEach
    void finishManyBehindASnapshot() throws SQLException {
        backend = JdbcOutbox.of(recorder.before(pool)).createSchema().backend();
        backend.prepareReadsByType();
        OutboxRows.execute(pool, data.insertPending("outbox_event", 0, FINISHED));
        reader = pool.getConnection();
        reader.setAutoCommit(false);
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        try (Statement statement = reader.createStatement()) {
            statement.execute("SELECT 1 FROM outbox_event LIMIT 1");
        }
        OutboxRows.execute(
                pool, "UPDATE outbox_event SET status = 1, done_at = available_at", "VACUUM ANALYZE outbox_event");
        recorder.take("outbox_event");
    }

    @AfterEach
    void close() throws SQLException {
        reader.close();
        pool.close();
    }

    @Test
    void whatBeginsAtABoundTouchesLittle() throws SQLException {
        Instant now = Instant.now();
        Instant bound = now.minusSeconds(10);

        assertThat(backend.nextDueAt(FRONT)).isEmpty();
        assertThat(buffers()).as("at the front").isGreaterThan(10 * A_FEW_BUFFERS);

        assertThat(backend.nextDueAt(bound)).isEmpty();
        backend.fetch(FetchRequest.first(now, 100).after(backend.placeOf(bound)));
        backend.claim(ClaimRequest.first(LEASE, now, 100).after(backend.placeOf(bound)));
        assertThat(backend.lookByType(List.of(new DueType(BigTable.TYPE, bound)), bound)
                        .types())
                .containsExactly(new DueType(BigTable.TYPE, null));
        assertThat(buffers()).as("at the bound").isLessThan(A_FEW_BUFFERS);
    }

    /** Returns how many pages the statements since the last call touch. */
    private long buffers() throws SQLException {
        long buffers = 0;
        try (Connection conn = pool.getConnection()) {
            conn.setAutoCommit(false);
            for (RecordedStatement statement : recorder.take("outbox_event")) {
                try (var explained = statement.prepare(conn, "EXPLAIN (ANALYZE, BUFFERS) ");
                        var rows = explained.executeQuery()) {
                    boolean first = true;
                    while (rows.next()) {
                        String line = rows.getString(1);
                        if (first && line.contains("Buffers:")) {
                            first = false;
                            for (Matcher m = BUFFERS.matcher(line); m.find(); ) {
                                buffers += Long.parseLong(m.group(1) == null ? m.group(2) : m.group(1));
                            }
                        }
                    }
                }
                conn.rollback();
            }
        }
        return buffers;
    }
}
