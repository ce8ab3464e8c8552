package io.outbox.jdbc.schema;

import static io.outbox.jdbc.support.TestDatabase.H2;
import static io.outbox.jdbc.support.TestDatabase.MARIADB;
import static io.outbox.jdbc.support.TestDatabase.MYSQL;
import static io.outbox.jdbc.support.TestDatabase.POSTGRESQL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.CapturedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the check of the table finds, and that the statements it names mend it. */
class TableCheckTest {

    private static Arguments damage(TestDatabase database, String damage, String finding) {
        return Arguments.of(database, damage, finding);
    }

    private static Stream<Arguments> onBoth(String damage, String finding) {
        return Stream.of(damage(MYSQL, damage, finding), damage(MARIADB, damage, finding));
    }

    static Stream<Arguments> errors() {
        List<Stream<Arguments>> errors = new ArrayList<>();
        errors.add(Stream.of(
                damage(H2, "ALTER COLUMN payload SET DATA TYPE VARCHAR(100)", "payload is character varying(100)"),
                damage(H2, "ALTER COLUMN payload SET DATA TYPE BINARY LARGE OBJECT", "payload is binary large object"),
                damage(H2, "ALTER COLUMN headers SET DATA TYPE VARCHAR(255)", "headers is character varying(255)"),
                damage(
                        H2,
                        "ALTER COLUMN last_error SET DATA TYPE VARCHAR(255)",
                        "last_error is character varying(255)"),
                damage(H2, "ALTER COLUMN event_id SET DATA TYPE CHARACTER(36)", "event_id is character(36)"),
                damage(H2, "ALTER COLUMN event_id SET DATA TYPE VARCHAR(26)", "event_id is character varying(26)"),
                damage(H2, "ALTER COLUMN attempts SET DATA TYPE TINYINT", "attempts is tinyint"),
                damage(H2, "ALTER COLUMN status SET DATA TYPE BOOLEAN", "status is boolean"),
                damage(H2, "ALTER COLUMN available_at SET DATA TYPE TIMESTAMP WITH TIME ZONE", "with time zone"),
                damage(H2, "ALTER COLUMN locked_at SET DATA TYPE TIMESTAMP(0)", "locked_at is timestamp(0)"),
                damage(H2, "ALTER COLUMN locked_by SET NOT NULL", "locked_by is NOT NULL"),
                damage(H2, "ADD COLUMN region VARCHAR(10) NOT NULL", "region is not known and NOT NULL"),
                damage(H2, "DROP PRIMARY KEY", "event_id is not the primary key"),
                damage(H2, "DROP COLUMN tenant_id", "column tenant_id is missing")));
        errors.add(Stream.of(
                damage(POSTGRESQL, "ALTER payload TYPE varchar(100)", "payload is character varying(100), not TEXT"),
                damage(POSTGRESQL, "ALTER payload TYPE bytea USING payload::bytea", "payload is bytea, not TEXT"),
                damage(POSTGRESQL, "ALTER event_id TYPE uuid USING event_id::uuid", "event_id is uuid"),
                damage(POSTGRESQL, "ALTER event_id TYPE char(36)", "event_id is character(36)"),
                damage(
                        POSTGRESQL,
                        "ALTER available_at TYPE timestamptz",
                        "timestamp with time zone(6), not TIMESTAMP(6)"),
                damage(POSTGRESQL, "ALTER created_at TYPE varchar(40)", "created_at is character varying(40)"),
                damage(POSTGRESQL, "ALTER done_at TYPE timestamp(0)", "done_at is timestamp without time zone(0)"),
                damage(POSTGRESQL, "ALTER last_error TYPE varchar(255)", "last_error is character varying(255)"),
                damage(POSTGRESQL, "ALTER done_at SET NOT NULL", "done_at is NOT NULL"),
                damage(POSTGRESQL, "ADD COLUMN region varchar(10) NOT NULL", "region is not known and NOT NULL"),
                damage(POSTGRESQL, "DROP CONSTRAINT outbox_event_pkey", "event_id is not the primary key"),
                damage(POSTGRESQL, "DROP COLUMN tenant_id", "column tenant_id is missing")));
        errors.add(onBoth("MODIFY payload VARCHAR(100) NOT NULL", "payload is varchar(100), not MEDIUMTEXT"));
        errors.add(onBoth("MODIFY payload TEXT NOT NULL", "payload is text, not MEDIUMTEXT"));
        errors.add(onBoth("MODIFY payload MEDIUMBLOB NOT NULL", "payload is mediumblob, not MEDIUMTEXT"));
        errors.add(onBoth("MODIFY payload MEDIUMTEXT CHARACTER SET latin1 NOT NULL", "into payload (latin1)"));
        errors.add(onBoth("MODIFY headers MEDIUMTEXT CHARACTER SET utf8mb3", "into headers (utf8mb3)"));
        errors.add(onBoth("MODIFY event_id VARCHAR(26) NOT NULL", "event_id is varchar(26), not VARCHAR(36)"));
        errors.add(onBoth("MODIFY event_id BINARY(16) NOT NULL", "event_id is binary(16), not VARCHAR(36)"));
        errors.add(onBoth("MODIFY available_at DATETIME NOT NULL", "available_at is datetime, not DATETIME(6)"));
        errors.add(onBoth("MODIFY created_at TIMESTAMP(6) NOT NULL", "created_at is timestamp(6), not DATETIME(6)"));
        errors.add(onBoth("MODIFY last_error VARCHAR(255)", "last_error is varchar(255), not TEXT"));
        errors.add(onBoth("MODIFY locked_at DATETIME(6) NOT NULL", "locked_at is NOT NULL"));
        errors.add(onBoth("MODIFY attempts TINYINT NOT NULL DEFAULT 0", "attempts is tinyint"));
        errors.add(onBoth("ADD COLUMN region VARCHAR(10) NOT NULL", "region is not known and NOT NULL"));
        errors.add(onBoth("DROP PRIMARY KEY", "event_id is not the primary key"));
        errors.add(onBoth(
                "DROP PRIMARY KEY, ADD UNIQUE (event_id), ADD COLUMN id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
                "event_id is not the primary key"));
        errors.add(onBoth("DROP COLUMN tenant_id", "column tenant_id is missing"));
        return errors.stream().flatMap(stream -> stream);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatWouldHaveEventsRefusedOrChangedIsAnErrorThatTheStatementMends(
            TestDatabase database, String damage, String finding) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema schema = OutboxSchema.of(pool).createIfMissing();
            OutboxRows.execute(pool, "ALTER TABLE outbox_event " + damage);

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, schema::validate);

            assertThat(e)
                    .hasMessageContaining("The outbox table outbox_event cannot be used")
                    .hasMessageContaining(finding)
                    .hasMessageContaining(e.statements().get(0))
                    .hasMessageContaining("schema/" + script(database) + ".sql");
            assertThat(e.statements()).hasSize(1);
            assertThat(e.isTableMissing()).isFalse();
            OutboxRows.execute(pool, e.statements().get(0));
            assertPassesInSilence(schema);
        }
    }

    private static String script(TestDatabase database) {
        return database.name().toLowerCase(Locale.ROOT);
    }

    private static void assertPassesInSilence(OutboxSchema schema) {
        try (CapturedLog log = CapturedLog.open()) {
            schema.validate();
            assertThat(log.text()).isEmpty();
        }
    }

    static Stream<Arguments> warnings() {
        return Stream.of(
                damage(H2, "DROP INDEX outbox_event_pending", "(status, available_at, created_at, event_id)"),
                damage(H2, "DROP INDEX outbox_event_finished", "(status, done_at, created_at, event_id)"),
                damage(H2, "ALTER TABLE outbox_event ALTER COLUMN done_at SET DATA TYPE TIMESTAMP(3)", "timestamp(3)"),
                damage(POSTGRESQL, "DROP INDEX outbox_event_pending", "(available_at, created_at, event_id)"),
                damage(POSTGRESQL, "DROP INDEX outbox_event_finished", "(done_at, created_at)"),
                damage(POSTGRESQL, "DROP INDEX outbox_event_dead", "(created_at, event_id)"),
                damage(MYSQL, "DROP INDEX idx_status_available ON outbox_event", "(status, available_at, created_at)"),
                damage(MYSQL, "DROP INDEX idx_status_done ON outbox_event", "(status, done_at, created_at)"),
                damage(MYSQL, "ALTER TABLE outbox_event MODIFY locked_at DATETIME(3)", "locked_at is datetime(3)"),
                damage(
                        MYSQL,
                        "ALTER TABLE outbox_event MODIFY aggregate_id VARCHAR(128) CHARACTER SET latin1",
                        "into aggregate_id (latin1)"),
                damage(
                        MARIADB,
                        "DROP INDEX idx_status_available ON outbox_event",
                        "(status, available_at, created_at)"),
                damage(MARIADB, "DROP INDEX idx_status_done ON outbox_event", "(status, done_at, created_at)"));
    }

    @ParameterizedTest
    @MethodSource("warnings")
    void whatOnlyCostsTimeIsAWarningThatTheStatementMends(TestDatabase database, String damage, String finding) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema schema = OutboxSchema.of(pool).createIfMissing();
            OutboxRows.execute(pool, damage);
            String warning;
            try (CapturedLog log = CapturedLog.open()) {
                schema.validate();
                warning = log.text();
            }

            assertThat(warning)
                    .startsWith("The outbox table outbox_event works, but:")
                    .contains(finding)
                    .contains("schema/" + script(database) + ".sql");
            OutboxRows.execute(
                    pool,
                    warning.lines()
                            .filter(line -> line.contains(". Run: "))
                            .map(line -> line.substring(line.indexOf(". Run: ") + ". Run: ".length()))
                            .toArray(String[]::new));
            assertPassesInSilence(schema);
        }
    }

    static Stream<Arguments> harmless() {
        List<Stream<Arguments>> harmless = new ArrayList<>();
        harmless.add(Stream.of(
                Arguments.of(H2, "ALTER COLUMN payload SET DATA TYPE VARCHAR"),
                Arguments.of(H2, "ALTER COLUMN payload SET DATA TYPE JSON"),
                Arguments.of(H2, "ALTER COLUMN event_id SET DATA TYPE VARCHAR(255)"),
                Arguments.of(H2, "ALTER COLUMN status SET DATA TYPE INT"),
                Arguments.of(H2, "ALTER COLUMN done_at SET DATA TYPE TIMESTAMP(9)"),
                Arguments.of(H2, "ALTER COLUMN event_type DROP NOT NULL"),
                Arguments.of(H2, "ALTER COLUMN aggregate_type SET NOT NULL"),
                Arguments.of(H2, "ADD COLUMN note VARCHAR(10)"),
                Arguments.of(H2, "ADD COLUMN region VARCHAR(10) DEFAULT 'eu' NOT NULL"),
                Arguments.of(H2, "ADD COLUMN number BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL")));
        harmless.add(Stream.of(
                Arguments.of(POSTGRESQL, "ALTER event_id TYPE text"),
                Arguments.of(POSTGRESQL, "ALTER event_type TYPE varchar"),
                Arguments.of(POSTGRESQL, "ALTER payload TYPE varchar"),
                Arguments.of(POSTGRESQL, "ALTER payload TYPE varchar(2000000)"),
                Arguments.of(POSTGRESQL, "ALTER headers TYPE varchar(4000)"),
                Arguments.of(POSTGRESQL, "ALTER payload TYPE jsonb USING payload::jsonb"),
                Arguments.of(POSTGRESQL, "ALTER headers TYPE json USING headers::json"),
                Arguments.of(POSTGRESQL, "ALTER status TYPE int"),
                Arguments.of(POSTGRESQL, "ALTER attempts TYPE smallint"),
                Arguments.of(POSTGRESQL, "ALTER done_at TYPE timestamp"),
                Arguments.of(POSTGRESQL, "ALTER event_type DROP NOT NULL"),
                Arguments.of(POSTGRESQL, "ADD COLUMN note varchar(10)"),
                Arguments.of(POSTGRESQL, "ADD COLUMN region varchar(10) NOT NULL DEFAULT 'eu'"),
                Arguments.of(POSTGRESQL, "ADD COLUMN number bigserial NOT NULL"),
                Arguments.of(POSTGRESQL, "DROP CONSTRAINT outbox_event_pkey, ADD UNIQUE (event_id)")));
        for (TestDatabase database : List.of(MYSQL, MARIADB)) {
            harmless.add(Stream.of(
                            "MODIFY payload LONGTEXT NOT NULL",
                            "MODIFY payload JSON NOT NULL",
                            "MODIFY headers TEXT",
                            "MODIFY headers VARCHAR(4000)",
                            "MODIFY event_id CHAR(36) NOT NULL",
                            "MODIFY event_id VARCHAR(64) NOT NULL",
                            "MODIFY event_type VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NULL",
                            "MODIFY status TINYINT(1) NOT NULL",
                            "MODIFY status INT UNSIGNED NOT NULL",
                            "MODIFY attempts SMALLINT NOT NULL",
                            "MODIFY last_error MEDIUMTEXT",
                            "ADD COLUMN note VARCHAR(10) CHARACTER SET latin1",
                            "ADD COLUMN region VARCHAR(10) NOT NULL DEFAULT 'eu'",
                            "ADD COLUMN number BIGINT NOT NULL AUTO_INCREMENT UNIQUE",
                            "ADD COLUMN touched TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
                            "ADD COLUMN doubled INT AS (attempts * 2) STORED")
                    .map(change -> Arguments.of(database, change)));
        }
        return harmless.stream().flatMap(stream -> stream);
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatIsLargerThanNeedBeOrOfTheApplicationsOwnPasses(TestDatabase database, String change) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema schema = OutboxSchema.of(pool).createIfMissing();

            OutboxRows.execute(pool, "ALTER TABLE outbox_event " + change);

            assertPassesInSilence(schema);
        }
    }

    @ParameterizedTest
    @EnumSource
    void allFindingsAreInOneMessage(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxRows.execute(pool, "CREATE TABLE outbox_event (event_id VARCHAR(10), payload VARCHAR(100) NOT NULL)");
            OutboxSchema schema = OutboxSchema.of(pool);

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, schema::validate);

            assertThat(e)
                    .hasMessageContaining("column event_id is ")
                    .hasMessageContaining("column payload is ")
                    .hasMessageContaining("column locked_at is missing")
                    .hasMessageContaining("event_id is not the primary key")
                    .hasMessageContaining("there is no index on ");
            OutboxRows.execute(pool, e.statements().toArray(String[]::new));
            assertPassesInSilence(schema);
        }
    }

    @ParameterizedTest
    @EnumSource
    void ofAViewOnlyTheColumnsAreChecked(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema.of(pool, "events").createIfMissing();
            OutboxRows.execute(pool, "CREATE VIEW outbox_event AS SELECT * FROM events");

            assertPassesInSilence(OutboxSchema.of(pool));
            OutboxRows.execute(
                    pool,
                    "DROP VIEW outbox_event",
                    "CREATE VIEW outbox_event AS SELECT event_id, event_type FROM events");
            assertThat(catchThrowableOfType(
                            OutboxSchemaException.class,
                            () -> OutboxSchema.of(pool).validate()))
                    .hasMessageContaining("column payload is missing")
                    .hasMessageNotContaining("primary key");
        }
    }

    @Test
    void aPartitionedTablePasses() {
        try (HikariDataSource pool = TestDatabase.pool(POSTGRESQL.newUrl(), 1)) {
            List<String> ddl = new ArrayList<>(OutboxSchema.of(pool).statements());
            ddl.set(
                    0,
                    ddl.get(0)
                            .replace(" PRIMARY KEY", "")
                            .replaceAll(
                                    "\\) WITH .*",
                                    ", PRIMARY KEY (event_id, created_at)) PARTITION BY RANGE (created_at)"));
            OutboxRows.execute(pool, ddl.toArray(String[]::new));

            assertPassesInSilence(OutboxSchema.of(pool));
        }
    }

    @Test
    void aTableBehindASynonymPasses() {
        try (HikariDataSource pool = TestDatabase.pool(H2.newUrl(), 1)) {
            OutboxRows.execute(pool, "CREATE SCHEMA app");
            OutboxSchema.of(pool, "app.events").createIfMissing();
            OutboxRows.execute(pool, "CREATE SYNONYM outbox_event FOR app.events");

            assertPassesInSilence(OutboxSchema.of(pool));
        }
    }

    @Test
    void aTableElsewhereOnTheSearchPathIsNotChecked() {
        String url = POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                HikariDataSource pool = TestDatabase.pool(url + "&currentSchema=public,app", 1);
                CapturedLog log = CapturedLog.open()) {
            OutboxRows.execute(owner, "CREATE SCHEMA app");
            OutboxSchema.of(owner, "app.outbox_event").createIfMissing();

            OutboxSchema.of(pool).validate();

            assertThat(log.text()).contains("outbox_event is not checked: the catalog does not show it");
        }
    }

    @Test
    void aCatalogThatMayNotBeReadIsNoFailure() {
        String url = POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                HikariDataSource user = new HikariDataSource()) {
            user.setJdbcUrl(url.replace("user=outbox&", "user=outbox_blind&"));
            user.setMaximumPoolSize(1);
            OutboxSchema.of(owner).createIfMissing();
            OutboxRows.execute(
                    owner,
                    "CREATE ROLE outbox_blind LOGIN",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON outbox_event TO outbox_blind",
                    "REVOKE SELECT ON information_schema.columns FROM PUBLIC");
            try (CapturedLog log = CapturedLog.open()) {
                OutboxSchema.of(user).validate();

                assertThat(log.text()).contains("outbox_event is not checked: the catalog cannot be read");
            }
        } finally {
            try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_blind", "DROP ROLE outbox_blind");
            }
        }
    }

    /** Who only writes events may not read the table, yet is told what is wrong with it. */
    @Test
    void aUserWhoMayOnlyInsertGetsTheTableChecked() {
        String url = POSTGRESQL.newUrl();
        try (HikariDataSource owner = TestDatabase.pool(url, 1);
                HikariDataSource user = new HikariDataSource()) {
            user.setJdbcUrl(url.replace("user=outbox&", "user=outbox_writer&"));
            user.setMaximumPoolSize(1);
            OutboxSchema.of(owner).createIfMissing();
            OutboxRows.execute(
                    owner, "CREATE ROLE outbox_writer LOGIN", "GRANT INSERT ON outbox_event TO outbox_writer");

            assertPassesInSilence(OutboxSchema.of(user));
            OutboxRows.execute(owner, "ALTER TABLE outbox_event ALTER payload TYPE varchar(100)");
            assertThat(catchThrowableOfType(
                            OutboxSchemaException.class,
                            () -> OutboxSchema.of(user).validate()))
                    .hasMessageContaining("payload is character varying(100)");
        } finally {
            try (HikariDataSource owner = TestDatabase.pool(url, 1)) {
                OutboxRows.execute(owner, "DROP OWNED BY outbox_writer", "DROP ROLE outbox_writer");
            }
        }
    }

    @Test
    void aDatabaseWithNamesInLowerCasePasses() {
        for (String mode :
                List.of(";DATABASE_TO_LOWER=TRUE", ";DATABASE_TO_UPPER=FALSE", ";MODE=PostgreSQL", ";MODE=MySQL")) {
            try (HikariDataSource pool = TestDatabase.pool(H2.newUrl() + mode, 1)) {
                assertPassesInSilence(OutboxSchema.of(pool, "Order_Events").createIfMissing());
            }
        }
    }

    @Test
    void theExceptionSaysWhetherThereIsATable() {
        try (HikariDataSource pool = TestDatabase.pool(H2.newUrl(), 1)) {
            OutboxSchema schema = OutboxSchema.of(pool, "shop_events");

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, schema::validate);

            assertThat(e.isTableMissing()).isTrue();
            assertThat(e.tableName()).isEqualTo("shop_events");
            OutboxRows.execute(pool, e.statements().toArray(String[]::new));
            assertPassesInSilence(schema);
        }
    }
}
