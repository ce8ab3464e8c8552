package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The purge of a table whose events nobody marks as finished. */
class AgeBasedPurgeTest {

    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
    private static final Instant BEFORE = NOW.minus(Duration.ofHours(24));
    private static final int[] STATUSES = {0, 1, 2, 3};

    @ParameterizedTest
    @EnumSource
    void deletesWhatIsOldWhateverBecameOfIt(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            insertOneOfEachStatus(jdbc, pool, conn, "old", BEFORE.minusSeconds(1));
            insertOneOfEachStatus(jdbc, pool, conn, "new", BEFORE.plusSeconds(1));
            jdbc.store().insertNew(conn, event("old-but-delayed", BEFORE.minusSeconds(1), NOW.plusSeconds(60)));
            EventPurger purger = JdbcOutbox.ageBasedPurgerFor(jdbc.store());

            assertThat(purger.purge(conn, BEFORE, 3)).isEqualTo(3);
            assertThat(purger.purge(conn, BEFORE, 3)).isEqualTo(1);
            assertThat(purger.purge(conn, BEFORE, 3)).isZero();

            assertThat(OutboxRows.all(pool).keySet())
                    .isEqualTo(Set.of("new-0", "new-1", "new-2", "new-3", "old-but-delayed"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriterOnlyOutboxKeepsItsTableSmall(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            try (Connection conn = pool.getConnection()) {
                List<EventEnvelope> old = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    old.add(event("old-" + i, BEFORE, null));
                }
                jdbc.store().insertBatch(conn, old);
            }
            try (Outbox outbox = Outbox.writerOnly()
                    .backend(jdbc.writerOnlyBackend())
                    .purgeRetention(Duration.ofHours(24))
                    .purgeBatchSize(7)
                    .purgeIntervalSeconds(3600)
                    .build()) {
                assertThat(outbox.writer()).isNotNull();
                Awaitility.await().until(() -> OutboxRows.all(pool).isEmpty());
            }
        }
    }

    /** Inserts events of an age that all ended just now, if at all. */
    private static void insertOneOfEachStatus(
            JdbcOutbox jdbc, HikariDataSource pool, Connection conn, String name, Instant createdAt) {
        for (int status : STATUSES) {
            jdbc.store().insertNew(conn, event(name + "-" + status, createdAt, null));
            String end = status == 1 ? ", done_at = TIMESTAMP '2025-06-01 12:00:00'" : "";
            OutboxRows.execute(
                    pool,
                    "UPDATE outbox_event SET status = " + status + end + " WHERE event_id = '" + name + "-" + status
                            + "'");
        }
    }

    private static EventEnvelope event(String id, Instant occurredAt, Instant availableAt) {
        EventEnvelope.Builder event =
                EventEnvelope.builder("Old").eventId(id).occurredAt(occurredAt).payloadJson("{}");
        return availableAt == null
                ? event.build()
                : event.availableAt(availableAt).build();
    }
}
