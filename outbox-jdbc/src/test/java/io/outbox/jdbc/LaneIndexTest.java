package io.outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxBackend;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The index that lanes need, which who has no lanes does not pay for. */
class LaneIndexTest {

    private static final String TYPE = "Laned";
    /** MySQL takes a limit for such waits in whole seconds. */
    private static final long SOON_SECONDS = 4;

    /** Builds an outbox with a lane and lets it deliver an event, so that it is known to be at work. */
    private static void deliverOnALane(JdbcOutbox jdbc, HikariDataSource pool) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(TYPE, event -> DispatchResult.done());
        try (Outbox outbox = Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .lane(TYPE, LanePolicy.builder().build())
                .build()) {
            try (Transaction tx = jdbc.begin()) {
                outbox.writer().write(TYPE, "{}");
                tx.commit();
            }
            await().until(() -> !OutboxRows.done(pool).isEmpty());
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoLetsTheTableBeCreatedGetsTheIndexWithTheFirstLane(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            assertThat(OutboxSchema.of(pool).hasLaneIndex()).isFalse();

            deliverOnALane(jdbc, pool);

            assertThat(OutboxSchema.of(pool).hasLaneIndex()).isTrue();
            assertThat(log.text()).doesNotContain("no index by event type");
        }
    }

    /** A pool of one connection is enough, since the index is created on the one at hand. */
    @ParameterizedTest
    @EnumSource
    void theIndexIsCreatedOnceHoweverOftenItIsAskedFor(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();

            jdbc.backend().prepareReadsByType();
            jdbc.backend().prepareReadsByType();

            assertThat(OutboxSchema.of(pool).hasLaneIndex()).isTrue();
            assertThat(log.text()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoCreatesTheTableHimselfIsToldTheStatement(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            OutboxSchema.of(pool, "lane_events").createIfMissing();
            JdbcOutbox jdbc = JdbcOutbox.of(pool, "lane_events");
            String statement;
            try (CapturedLog log = CapturedLog.open()) {
                jdbc.backend().prepareReadsByType();
                List<String> warnings = log.text()
                        .lines()
                        .filter(line -> line.contains("no index by event type"))
                        .toList();
                assertThat(warnings).hasSize(1);
                String text = log.text();
                statement = text.substring(text.indexOf("CREATE INDEX")).strip();
            }
            assertThat(OutboxSchema.of(pool, "lane_events").hasLaneIndex()).isFalse();

            OutboxRows.execute(pool, statement);

            assertThat(OutboxSchema.of(pool, "lane_events").hasLaneIndex()).isTrue();
            try (CapturedLog log = CapturedLog.open()) {
                jdbc.backend().prepareReadsByType();
                assertThat(log.text()).isEmpty();
            }
        }
    }

    @Test
    void whoMayNotCreateItIsToldTheStatement() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                HikariDataSource user = new HikariDataSource()) {
            user.setJdbcUrl(url.replace("user=outbox&", "user=outbox_lanes&"));
            user.setMaximumPoolSize(1);
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "CREATE ROLE outbox_lanes LOGIN",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event TO outbox_lanes");
            try (CapturedLog log = CapturedLog.open()) {
                JdbcOutbox.of(user).createSchema().backend().prepareReadsByType();

                assertThat(log.text()).contains("no index by event type").contains("CREATE INDEX");
            }
        } finally {
            try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_lanes", "DROP ROLE outbox_lanes");
            }
        }
    }

    /** An event type needs the index at run time, while some transaction is open that has written to the table. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void noWriterWaitsForTheIndex(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 5)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxBackend backend = jdbc.backend();
            try (Connection open = pool.getConnection()) {
                open.setAutoCommit(false);
                jdbc.store().insertBatch(open, DeliveryFixture.events(1));

                CompletableFuture<Void> poller = CompletableFuture.runAsync(backend::prepareReadsByType);
                poller.get(SOON_SECONDS, TimeUnit.SECONDS);
                for (int i = 0; i < 3; i++) {
                    CompletableFuture.runAsync(() -> insert(jdbc, pool)).get(SOON_SECONDS, TimeUnit.SECONDS);
                }

                open.rollback();
                open.setAutoCommit(true);
            }
            OutboxSchema schema = OutboxSchema.of(pool);
            await().atMost(Duration.ofSeconds(10)).until(() -> schema.hasLaneIndex() || isTriedAgain(backend));
            assertThat(backend.lookByType(List.of(), Instant.EPOCH).isComplete())
                    .isTrue();
        }
    }

    /** As by an application that starts while nodes of its former version write. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void noWriterWaitsForTheIndexAtStartUpEither(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 5)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxSchema schema = OutboxSchema.of(pool);
            CompletableFuture<OutboxSchema> start;
            try (Connection open = pool.getConnection()) {
                open.setAutoCommit(false);
                jdbc.store().insertBatch(open, DeliveryFixture.events(1));

                start = CompletableFuture.supplyAsync(schema::createLaneIndexIfMissing);
                if (database == TestDatabase.POSTGRESQL) {
                    await().until(() -> isCreatingAnIndex(pool));
                }
                for (int i = 0; i < 3; i++) {
                    CompletableFuture.runAsync(() -> insert(jdbc, pool)).get(SOON_SECONDS, TimeUnit.SECONDS);
                }

                open.rollback();
                open.setAutoCommit(true);
            }
            start.get(1, TimeUnit.MINUTES);
            await().until(() -> schema.createLaneIndexIfMissing().hasLaneIndex());
        }
    }

    private static boolean isCreatingAnIndex(HikariDataSource pool) {
        return OutboxRows.texts(
                        pool,
                        "SELECT query FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                .stream()
                .anyMatch(query -> query.startsWith("CREATE INDEX"));
    }

    /** The first attempt may have failed on a database that does not let writers pass for longer. */
    private static boolean isTriedAgain(OutboxBackend backend) {
        backend.prepareReadsByType();
        return false;
    }

    private static void insert(JdbcOutbox jdbc, HikariDataSource pool) {
        try (Connection conn = pool.getConnection()) {
            jdbc.store().insertBatch(conn, DeliveryFixture.events(1));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is left behind when the index is created beside writers and that fails. */
    @Test
    void anIndexThatIsNotValidIsCreatedAgain() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 3)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            OutboxSchema schema = OutboxSchema.of(pool);
            for (Runnable creation :
                    List.<Runnable>of(schema::createLaneIndexIfMissing, jdbc.backend()::prepareReadsByType)) {
                schema.createLaneIndexIfMissing();
                OutboxRows.execute(
                        pool,
                        "UPDATE pg_index SET indisvalid = false"
                                + " WHERE indexrelid = 'outbox_event_pending_by_type'::regclass");
                assertThat(schema.hasLaneIndex()).isFalse();

                creation.run();

                await().until(schema::hasLaneIndex);
            }
        }
    }
}
