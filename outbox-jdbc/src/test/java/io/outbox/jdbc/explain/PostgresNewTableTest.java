package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A table that PostgreSQL has never looked at: it expects fewer pending events than a page has, and would read and sort
 * all there are for each page until its statistics are gathered.
 */
class PostgresNewTableTest {

    private static final int BACKLOG = 100_000;
    private static final int PAGE = 500;
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));

    private final BigTable data = new PostgresIndexUseTest().data();
    /** One connection, so that the figures of the database are complete. */
    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 1);

    private OutboxBackend backend;

    @BeforeEach
    void writeABacklog() {
        backend = JdbcOutbox.of(pool).createSchema().backend();
        backend.prepareReadsByType();
        OutboxRows.execute(
                pool,
                "ALTER TABLE outbox_event SET (autovacuum_enabled = false)",
                data.insertPending("outbox_event", 0, BACKLOG));
    }

    @AfterEach
    void close() {
        pool.close();
    }

    static List<EventTypes> choices() {
        return List.of(
                EventTypes.ALL, EventTypes.only(BigTable.TYPE), new EventTypes(List.of(BigTable.TYPE, "Other"), false));
    }

    @ParameterizedTest
    @MethodSource("choices")
    void pagesReadWhatTheyHaveAfterTheFirst(EventTypes types) {
        claim(types);
        long before = entriesRead();

        claim(types);
        assertThat(backend.fetch(new FetchRequest(Instant.now(), Duration.ZERO, types, PAGE, null))
                        .items())
                .hasSize(PAGE);

        assertThat(entriesRead() - before).isLessThan(20 * PAGE);
    }

    @Test
    void theFirstPageOfAllTypesReadsWhatItHas() {
        long before = entriesRead();

        claim(EventTypes.ALL);

        assertThat(entriesRead() - before).isLessThan(10 * PAGE);
    }

    private void claim(EventTypes types) {
        ClaimRequest.Scope scope = new ClaimRequest.Scope(types, Duration.ZERO, true);
        assertThat(backend.claim(new ClaimRequest(LEASE, Instant.now(), scope, PAGE, null))
                        .events())
                .hasSize(PAGE);
    }

    private long entriesRead() {
        OutboxRows.number(pool, "SELECT 1 FROM pg_stat_force_next_flush()");
        return OutboxRows.number(
                pool,
                "SELECT SUM(idx_tup_read + COALESCE(seq_tup_read, 0)) FROM pg_stat_user_indexes"
                        + " JOIN pg_stat_user_tables USING (relid)");
    }
}
