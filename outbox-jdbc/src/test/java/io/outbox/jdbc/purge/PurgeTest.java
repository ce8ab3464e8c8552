package io.outbox.jdbc.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.support.GivenUp;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.EventPurger;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Purges of many events of the same time, and those that the database gives up in favour of others. */
class PurgeTest {

    private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");
    private static final Instant BEFORE = LONG_AGO.plusSeconds(60);
    private static final int BATCH = 500;

    /** The table of the specification, with its only index. */
    private static final String[] SPECIFIED = {
        "DROP TABLE outbox_event",
        """
        CREATE TABLE outbox_event (
          event_id VARCHAR(36) PRIMARY KEY, event_type VARCHAR(128) NOT NULL, aggregate_type VARCHAR(64),
          aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload TEXT NOT NULL, headers TEXT,
          status SMALLINT NOT NULL, attempts INT DEFAULT 0 NOT NULL, available_at TIMESTAMP(6) NOT NULL,
          created_at TIMESTAMP(6) NOT NULL, done_at TIMESTAMP(6), last_error TEXT, locked_by VARCHAR(128),
          locked_at TIMESTAMP(6))""",
        "CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)"
    };

    private static void storeFinished(HikariDataSource pool, AbstractJdbcOutboxStore store, int count)
            throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder("Old")
                    .eventId("old-" + i)
                    .occurredAt(LONG_AGO)
                    .payloadJson("{}")
                    .build());
        }
        try (Connection conn = pool.getConnection()) {
            store.insertBatch(conn, events);
        }
        OutboxRows.execute(pool, "UPDATE outbox_event SET status = 1, done_at = created_at");
    }

    @ParameterizedTest
    @EnumSource
    void aBatchIsFullAsLongAsThereIsEnough(TestDatabase database) throws SQLException {
        assertFullBatches(database, new String[0]);
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aBatchIsFullInATableOfTheSpecificationToo(TestDatabase database) throws SQLException {
        assertFullBatches(database, SPECIFIED);
    }

    private static void assertFullBatches(TestDatabase database, String[] ddl) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            OutboxRows.execute(pool, ddl);
            List<EventPurger> purgers = new ArrayList<>(List.of(store.purger(), store.ageBasedPurger()));
            if (database == TestDatabase.H2 || database == TestDatabase.POSTGRESQL) {
                purgers.add(AbstractJdbcEventPurger.portable(store.tableName()));
                purgers.add(AbstractJdbcEventPurger.portableByAge(store.tableName()));
            }
            storeFinished(pool, store, purgers.size() * BATCH + 1);
            try (Connection conn = pool.getConnection()) {
                for (EventPurger purger : purgers) {
                    assertThat(purger.purge(conn, BEFORE, BATCH)).isEqualTo(BATCH);
                }
                assertThat(store.purger().purge(conn, BEFORE, BATCH)).isOne();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void anEventThatSomebodyHasLockedHoldsUpNoOther(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 3);
                Connection console = pool.getConnection();
                Statement lock = console.createStatement()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            storeFinished(pool, store, 30);
            console.setAutoCommit(false);
            lock.executeQuery("SELECT event_id FROM outbox_event WHERE event_id = 'old-0' FOR UPDATE");

            try (Connection conn = pool.getConnection()) {
                assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
                    assertThat(store.purger().purge(conn, BEFORE, 10)).isEqualTo(10);
                    assertThat(store.ageBasedPurger().purge(conn, BEFORE, BATCH))
                            .isEqualTo(19);
                });
                assertThat(OutboxRows.all(pool)).containsOnlyKeys("old-0");
                console.rollback();
                assertThat(store.purger().purge(conn, BEFORE, 10)).isOne();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPurgeThatIsGivenUpIsRepeated(GivenUp failure) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2)) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            storeFinished(pool, store, 30);
            for (EventPurger purger : List.of(
                    store.purger(), store.ageBasedPurger(), AbstractJdbcEventPurger.portable(store.tableName()))) {
                GivenUp.First faults = new GivenUp.First(2, failure, store.tableName());
                try (Connection conn = Intercepted.connection(pool.getConnection(), faults)) {
                    assertThat(purger.purge(conn, BEFORE, 10)).isEqualTo(10);
                    assertThat(faults.executions()).isGreaterThan(2);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void inATransactionOfTheCallersItIsNot(GivenUp failure) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2)) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            GivenUp.First faults = new GivenUp.First(1, failure, store.tableName());
            try (Connection conn = Intercepted.connection(pool.getConnection(), faults)) {
                conn.setAutoCommit(false);

                assertThatThrownBy(() -> store.purger().purge(conn, BEFORE, 10))
                        .isInstanceOf(OutboxStoreException.class);

                assertThat(faults.executions()).isOne();
                conn.rollback();
            }
        }
    }
}
