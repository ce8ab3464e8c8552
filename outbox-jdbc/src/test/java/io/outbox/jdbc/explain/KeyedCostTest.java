package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.BlockedKey;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How much PostgreSQL reads for the order of keys, beside a key that is blocked and deep, and for events without order
 * beside both.
 */
class KeyedCostTest {

    private static final int DEEP = 50_000;
    private static final int KEYS = 200;
    private static final Lease LEASE = new Lease("node", Duration.ofMinutes(5));

    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4);
    private OutboxBackend backend;

    @BeforeEach
    void fill() {
        backend = JdbcOutbox.of(pool).createSchema().backend();
        OutboxSchema.of(pool).createKeyedIfMissing();
        backend.prepareKeys();
        String insert =
                "INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status, attempts, available_at,"
                        + " created_at, order_key) SELECT ";
        String rest =
                " 'Type', '__GLOBAL__', '{}', 0, 0, TIMESTAMP '2025-01-01 00:00:00', TIMESTAMP '2025-01-01 00:00:00', ";
        OutboxRows.execute(
                pool,
                insert + "'deep-' || i," + rest + "'T/key-0100-deep#' FROM generate_series(1, " + DEEP + ") i",
                insert + "'key-' || i," + rest + "'T/key-' || lpad(i::text, 4, '0') || '#' FROM generate_series(1, "
                        + KEYS + ") i",
                insert + "'free-' || i," + rest + "NULL FROM generate_series(1, 100) i",
                "UPDATE outbox_event SET status = 2, available_at = TIMESTAMP '2200-01-01 00:00:00' WHERE event_id = 'deep-1'",
                "ANALYZE outbox_event");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @Test
    void aLookAtKeysReadsNothingBehindABlockedHead() {
        List<String> keys = backend.keyHeads("", 150).stream().map(KeyHead::key).toList();
        assertThat(keys).hasSize(150).contains("T/key-0100-deep#");

        long read = entriesReadBy(() -> assertThat(backend.claimKeyed(new KeyedRequest(
                                LEASE,
                                Instant.now(),
                                Instant.EPOCH,
                                LostClaims.NONE,
                                EventTypes.ALL,
                                keys,
                                new KeyedRequest.Limit(64, Long.MAX_VALUE)))
                        .events())
                .hasSize(149));

        assertThat(read).isLessThan(1500);
    }

    @Test
    void aWalkOverKeysReadsOneEntryOfEach() {
        long read = entriesReadBy(() -> assertThat(backend.keyHeads("", 1000)).hasSize(KEYS + 1));

        assertThat(read).isLessThan(1000);
    }

    @Test
    void aClaimOfEventsWithoutOrderReadsNoneThatKeepTheirs() {
        long read = entriesReadBy(() -> assertThat(backend.claim(ClaimRequest.first(LEASE, Instant.now(), 50))
                        .events())
                .hasSize(50));

        assertThat(read).isLessThan(500);
    }

    @Test
    void blockedKeysAreFoundWithoutReadingTheOthers() {
        long read = entriesReadBy(() -> {
            assertThat(backend.blockedFigures())
                    .isEqualTo(new BlockedKey.Figures(1, BlockedKey.MOST_WAITING, null, false));
            assertThat(backend.blockedKeys(BlockedKey.Order.NEWEST_FIRST, null, 50))
                    .extracting(BlockedKey::key)
                    .containsExactly("T/key-0100-deep#");
        });

        assertThat(read).isLessThan(3 * BlockedKey.MOST_WAITING);
    }

    private long entriesReadBy(Runnable work) {
        long before = entriesRead();
        work.run();
        return entriesRead() - before;
    }

    private long entriesRead() {
        OutboxRows.number(pool, "SELECT 1 FROM pg_stat_force_next_flush()");
        return OutboxRows.number(
                pool,
                "SELECT SUM(idx_tup_read) + (SELECT SUM(seq_tup_read) FROM pg_stat_user_tables)::bigint"
                        + " FROM pg_stat_user_indexes");
    }
}
