package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store for a database that we do not know, with only the answers that it has to give. */
class OtherDatabaseTest {

    private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");

    /** Uses nothing that our own stores override. */
    private static final class OtherStore extends AbstractJdbcOutboxStore {

        private final String utcNow;

        OtherStore(String tableName, String utcNow) {
            super(tableName);
            this.utcNow = utcNow;
        }

        @Override
        public String name() {
            return "other";
        }

        @Override
        public List<String> jdbcUrlPrefixes() {
            return List.of("jdbc:other:");
        }

        @Override
        public OtherStore withTable(String tableName) {
            return new OtherStore(tableName, utcNow);
        }

        @Override
        protected String utcNow() {
            return utcNow;
        }
    }

    @ParameterizedTest
    @CsvSource({"H2, LOCALTIMESTAMP(6)", "POSTGRESQL, (now() AT TIME ZONE 'UTC')"})
    void itClaimsFinishesReadsDeadEventsAndPurges(TestDatabase database, String utcNow) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            JdbcOutbox.of(pool).createSchema();
            OtherStore store = new OtherStore("outbox_event", utcNow);
            List<EventEnvelope> events = DeliveryFixture.events(6);
            store.insertBatch(conn, events);
            Instant now = Instant.now();

            assertThat(delivery(store, conn)
                            .claim(ClaimRequest.first(new Lease("node", Duration.ofMinutes(5)), now, 10))
                            .events())
                    .hasSize(6);
            delivery(store, conn)
                    .apply(
                            "node",
                            events.stream()
                                    .limit(4)
                                    .map(event -> (Outcome) new Outcome.Done(event.eventId(), LONG_AGO))
                                    .toList());
            store.markDead(conn, events.get(4).eventId(), "hopeless");
            assertThat(store.queryDead(conn, null, null, 10)).hasSize(1);

            assertThat(store.purger().purge(conn, LONG_AGO.plusSeconds(1), 3)).isEqualTo(3);
            assertThat(store.purger().purgeDone(conn, LONG_AGO.plusSeconds(1), 3))
                    .isEqualTo(1);
            assertThat(store.ageBasedPurger().purge(conn, now.plusSeconds(1), 10))
                    .isEqualTo(2);
            assertThat(OutboxRows.all(pool)).isEmpty();
        }
    }

    @Test
    void withoutDdlOfItsOwnTheTableIsTheUsersToCreate() throws SQLException {
        try (CapturedLog log = CapturedLog.open();
                HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            OtherStore store = new OtherStore("outbox_event", "LOCALTIMESTAMP(6)");

            assertThatThrownBy(() -> OutboxSchema.of(pool, store).createIfMissing())
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("schema/other.sql");
            JdbcOutbox.of(pool).createSchema();
            delivery(store, conn).prepareReadsByType();

            assertThat(log.text())
                    .contains("an index on outbox_event (status, event_type, available_at, created_at, event_id)");
        }
    }

    @Test
    void ourOwnStoresHaveDdlAndPurgersOfTheirOwn() {
        List<AbstractJdbcOutboxStore> ours = JdbcOutboxStores.all();

        assertThat(ours.stream().map(AbstractJdbcOutboxStore::name).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder("h2", "mariadb", "mysql", "oracle", "postgresql", "tidb");
        assertThat(ours).allSatisfy(store -> {
            assertThat(store.getClass().getResource("/schema/" + store.schemaScript() + ".sql"))
                    .isNotNull();
            assertThat(store.purger().getClass().getSimpleName()).endsWith("EventPurger");
            assertThat(store.ageBasedPurger().getClass().getSimpleName()).endsWith("AgeBasedPurger");
        });
    }

    /** Answers nothing but what it has to. */
    private static final class SmallestStore extends AbstractJdbcOutboxStore {

        @Override
        public String name() {
            return "smallest";
        }

        @Override
        public List<String> jdbcUrlPrefixes() {
            return List.of("jdbc:smallest:");
        }
    }

    @Test
    void aStoreWithoutAnswersOfItsOwnSpeaksTheLanguageOfH2() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            JdbcOutbox.of(pool).createSchema();
            SmallestStore store = new SmallestStore();
            store.insertBatch(conn, DeliveryFixture.events(2));

            assertThat(delivery(store, conn)
                            .claim(ClaimRequest.first(new Lease("node", Duration.ofMinutes(5)), Instant.now(), 10))
                            .events())
                    .hasSize(2);
            assertThat(store.withTable("outbox_event")).isSameAs(store);
            assertThatThrownBy(() -> store.withTable("other_table"))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("withTable")
                    .hasMessageContaining("other_table");
        }
    }
}
