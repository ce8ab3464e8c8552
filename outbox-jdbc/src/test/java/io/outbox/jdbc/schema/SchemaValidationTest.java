package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables that are not there or not as they should be. */
class SchemaValidationTest {

    @ParameterizedTest
    @EnumSource
    void aTableOfOurOwnSchemaIsValid(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            JdbcOutbox.of(pool).createSchema().createSchema().validateSchema();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aNodeThatStartsDoesNotWaitForTransactionsThatWrite(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 3)) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            try (Connection writing = pool.getConnection()) {
                writing.setAutoCommit(false);
                jdbc.store().insertBatch(writing, DeliveryFixture.events(1));

                assertTimeoutPreemptively(Duration.ofSeconds(20), jdbc::createSchema);

                writing.rollback();
            }
        }
    }

    @Test
    void aUserWhoMayNotCreateAnythingPassesIfNothingButAnIndexIsMissing() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 2);
                HikariDataSource user = new HikariDataSource()) {
            user.setJdbcUrl(url.replace("user=outbox&", "user=outbox_user&"));
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
                    "CREATE ROLE outbox_user LOGIN",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event TO outbox_user");

            assertThat(JdbcOutbox.of(user).createSchema().validateSchema()).isNotNull();
            OutboxRows.execute(owner, "DROP INDEX outbox_event_pending");
            try (CapturedLog log = CapturedLog.open()) {
                JdbcOutbox.of(user).createSchema();
                assertThat(log.text()).contains("there is no index on (available_at, created_at, event_id)");
            }
            OutboxRows.execute(owner, "ALTER TABLE outbox_event DROP COLUMN locked_at");
            assertThatThrownBy(() -> JdbcOutbox.of(user).createSchema())
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("permission denied");
        } finally {
            try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_user", "DROP ROLE outbox_user");
            }
        }
    }

    @Test
    void missingRightsOnRowsAreNamed() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                CapturedLog log = CapturedLog.open()) {
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(owner, "CREATE ROLE outbox_poor LOGIN", "GRANT UPDATE ON outbox_event TO outbox_poor");
            try (HikariDataSource poor = TestDatabase.pool(url.replace("user=outbox&", "user=outbox_poor&"), 1)) {
                JdbcOutbox.of(poor).validateSchema();

                assertThat(log.text())
                        .contains("no right to SELECT, INSERT")
                        .contains("GRANT SELECT, INSERT ON outbox_event TO outbox_poor");
            } finally {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_poor", "DROP ROLE outbox_poor");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void missingRightsOnRowsAreNamedWhereNoCatalogShowsThem(TestDatabase database) {
        String url = database.newUrl();
        String poorUrl = url.replace("user=outbox&password=outbox", "user=outbox_poor&password=poor");
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                CapturedLog log = CapturedLog.open()) {
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "CREATE USER outbox_poor IDENTIFIED BY 'poor'",
                    "GRANT UPDATE ON outbox_event TO outbox_poor");
            try (HikariDataSource poor = TestDatabase.pool(poorUrl, 1)) {
                JdbcOutbox.of(poor).validateSchema();
                assertThat(log.text())
                        .contains("no right to SELECT, INSERT:")
                        .contains("GRANT SELECT, INSERT ON outbox_event TO 'outbox_poor'@'%'");
            }
            int lines = log.text().length();
            OutboxRows.execute(owner, "GRANT SELECT, INSERT ON outbox_event TO outbox_poor");
            try (HikariDataSource enough = TestDatabase.pool(poorUrl, 1)) {
                JdbcOutbox.of(enough).validateSchema();
                assertThat(log.text().substring(lines)).doesNotContain("no right");
            } finally {
                OutboxRows.execute(owner, "DROP USER outbox_poor");
            }
        }
    }

    @Test
    void rightsOnRowsAreEnoughToWriteAndToDeliver() {
        String url = TestDatabase.POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
            JdbcOutbox.of(owner).createSchema();
            OutboxRows.execute(
                    owner,
                    "CREATE ROLE outbox_rows LOGIN",
                    "GRANT SELECT, INSERT, UPDATE ON outbox_event TO outbox_rows");
            try (DeliveryFixture fixture =
                    DeliveryFixture.on(url.replace("user=outbox&", "user=outbox_rows&"), "outbox_event")) {
                List<EventEnvelope> stored = DeliveryFixture.events(3);
                fixture.jdbc().validateSchema();
                fixture.store(stored);

                fixture.open(DeliveryFixture.Mode.MULTI_NODE);

                fixture.assertDelivered(DeliveryFixture.ids(stored));
            } finally {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_rows", "DROP ROLE outbox_rows");
            }
        }
    }

    @Test
    void aServerThatLogsStatementsIsRefused() throws SQLException {
        String url = TestDatabase.MYSQL.newUrl();
        try (HikariDataSource rows = TestDatabase.pool(url, 1);
                HikariDataSource statements =
                        TestDatabase.pool(url + "&sessionVariables=binlog_format='STATEMENT'", 1);
                HikariDataSource unlogged =
                        TestDatabase.pool(url + "&sessionVariables=binlog_format='STATEMENT',sql_log_bin=0", 1)) {
            assertThatThrownBy(() -> JdbcOutbox.of(statements).createSchema())
                    .isInstanceOf(OutboxSchemaException.class)
                    .hasMessageContaining("binlog_format = STATEMENT");
            JdbcOutbox jdbc = JdbcOutbox.of(rows).createSchema().validateSchema();

            for (ThrowingCallable check : List.<ThrowingCallable>of(
                    () -> JdbcOutbox.of(statements).createSchema(),
                    () -> JdbcOutbox.of(statements).validateSchema(),
                    () -> JdbcOutbox.of(statements).backend())) {
                assertThatThrownBy(check)
                        .isInstanceOfSatisfying(
                                OutboxSchemaException.class,
                                e -> assertThat(e.statements()).containsExactly("SET GLOBAL binlog_format = 'ROW'"))
                        .hasMessageContaining("binlog_format = STATEMENT");
            }
            JdbcOutbox.of(unlogged).createSchema().validateSchema();
            JdbcOutbox.of(unlogged).backend();
            try (Connection conn = statements.getConnection()) {
                assertThatThrownBy(() -> jdbc.store().insertBatch(conn, DeliveryFixture.events(1)))
                        .as("why it is refused")
                        .hasMessageContaining("BINLOG_FORMAT = STATEMENT");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMissingTableIsNamedWithTheRemedy(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            assertThatThrownBy(() -> OutboxSchema.of(pool).validate())
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("outbox_event")
                    .hasMessageContaining("does not exist")
                    .hasMessageContaining("createIfMissing()")
                    .hasMessageContaining("schema/");
        }
    }

    @ParameterizedTest
    @EnumSource
    void missingColumnsAreNamed(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            OutboxSchema.of(pool).createIfMissing();
            OutboxRows.execute(
                    pool,
                    "ALTER TABLE outbox_event DROP COLUMN locked_at",
                    "ALTER TABLE outbox_event DROP COLUMN tenant_id");

            assertThatThrownBy(() -> JdbcOutbox.of(pool).validateSchema())
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("column locked_at is missing")
                    .hasMessageContaining("column tenant_id is missing");
        }
    }

    @ParameterizedTest
    @EnumSource
    void manyNodesMayCreateTheTableAtTheSameTime(TestDatabase database) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 6)) {
            Callable<OutboxSchema> create = () -> OutboxSchema.of(pool).createIfMissing();
            for (Future<OutboxSchema> created : threads.invokeAll(List.of(create, create, create, create, create))) {
                created.get().validate();
            }
        } finally {
            threads.shutdown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aWriteWithoutATableFailsAndDeliveryBeginsOnceThereIsOne(TestDatabase database) {
        try (CapturedLog log = CapturedLog.open();
                DeliveryFixture fixture = DeliveryFixture.on(database.newUrl(), "outbox_event")) {
            Outbox outbox = fixture.open(DeliveryFixture.Mode.SINGLE_NODE);
            List<EventEnvelope> events = DeliveryFixture.events(3);

            assertThatThrownBy(() -> fixture.inTransaction(outbox.writer(), writer -> writer.writeAll(events)))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("INSERT INTO outbox_event");
            await().until(() -> log.text().contains("Polling failed"));
            fixture.jdbc().createSchema();
            List<EventEnvelope> later = new ArrayList<>(DeliveryFixture.events(3));
            fixture.inTransaction(outbox.writer(), writer -> writer.writeAll(later));

            fixture.assertDelivered(DeliveryFixture.ids(later));
            assertThat(fixture.number("1 = 1")).isEqualTo(later.size());
        }
    }
}
