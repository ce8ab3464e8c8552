package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.OutboxBackend;
import io.outbox.testservers.support.CapturedLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The scripts in the jar as migration tools run them. */
class MigrationTest {

    /** The ways to an outbox table with the index for lanes. */
    private enum Tool {
        NONE {
            @Override
            void migrate(HikariDataSource pool, TestDatabase database) {
                OutboxSchema.of(pool).createIfMissing().createLaneIndexIfMissing();
            }
        },
        FLYWAY {
            @Override
            void migrate(HikariDataSource pool, TestDatabase database) {
                flyway(
                        pool,
                        "classpath:schema/flyway/" + script(database),
                        "classpath:schema/flyway-lanes/" + script(database));
            }
        },
        LIQUIBASE {
            @Override
            void migrate(HikariDataSource pool, TestDatabase database) throws Exception {
                liquibase(pool, "schema/liquibase/outbox.xml");
                liquibase(pool, "schema/liquibase/outbox-lanes.xml");
            }
        };

        abstract void migrate(HikariDataSource pool, TestDatabase database) throws Exception;
    }

    private static void flyway(HikariDataSource pool, String... locations) {
        Flyway.configure()
                .dataSource(pool)
                .locations(locations)
                .baselineOnMigrate(true)
                .load()
                .migrate();
    }

    private static void liquibase(HikariDataSource pool, String changeLog) throws Exception {
        try (Connection conn = pool.getConnection()) {
            Database target = DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(conn));
            new CommandScope(UpdateCommandStep.COMMAND_NAME)
                    .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, target)
                    .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, changeLog)
                    .execute();
        }
    }

    private static String script(TestDatabase database) {
        return database.name().toLowerCase(Locale.ROOT);
    }

    private static final String VERSION_1 = """
            CREATE TABLE outbox_event (
              event_id VARCHAR(36) PRIMARY KEY,
              event_type VARCHAR(128) NOT NULL,
              aggregate_type VARCHAR(64),
              aggregate_id VARCHAR(128),
              tenant_id VARCHAR(64),
              payload {document} NOT NULL,
              headers {document},
              status SMALLINT NOT NULL,
              attempts INT DEFAULT 0 NOT NULL,
              available_at {time} NOT NULL,
              created_at {time} NOT NULL,
              done_at {time},
              last_error TEXT,
              locked_by VARCHAR(128),
              locked_at {time}
            )""";

    /** Creates the table of the specification, in the database's own words. */
    private static void createVersion1(HikariDataSource pool, TestDatabase database) {
        boolean isMySql = database == TestDatabase.MYSQL || database == TestDatabase.MARIADB;
        OutboxRows.execute(
                pool,
                VERSION_1
                        .replace("{document}", database == TestDatabase.POSTGRESQL ? "TEXT" : "JSON")
                        .replace("{time}", isMySql ? "DATETIME(6)" : "TIMESTAMP(6)"),
                "CREATE INDEX idx_status_available ON outbox_event(status, available_at, created_at)");
    }

    /** A writer that leaves the column out must not stop a connector. */
    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL"})
    void theScriptForChangeDataCaptureGivesAnAggregateType(TestDatabase database) throws Exception {
        for (Tool tool : List.of(Tool.FLYWAY, Tool.LIQUIBASE)) {
            try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
                tool.migrate(pool, database);
                if (tool == Tool.FLYWAY) {
                    String both = "classpath:schema/flyway%s/" + script(database);
                    flyway(pool, both.formatted(""), both.formatted("-lanes"), both.formatted("-cdc"));
                } else {
                    liquibase(pool, "schema/liquibase/outbox-cdc.xml");
                }

                OutboxRows.execute(
                        pool,
                        "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)"
                                + " VALUES ('e', 'T', '{}', 0, '2026-01-01', '2026-01-01')");
                assertThat(single(pool, "SELECT aggregate_type FROM outbox_event"))
                        .isEqualTo("__GLOBAL__");
                if (database == TestDatabase.POSTGRESQL) {
                    String published = "SELECT concat(pubinsert, pubupdate, pubdelete, pubtruncate) FROM pg_publication"
                            + " JOIN pg_publication_tables USING (pubname)"
                            + " WHERE pubname = 'outbox_pub' AND tablename = 'outbox_event'";
                    assertThat(single(pool, published)).isEqualTo("tfff");
                }
                assertUpToDate(pool);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyToolAddsWhatOrderByKeyNeeds(TestDatabase database) throws Exception {
        List<Set<String>> catalogs = new ArrayList<>();
        for (Tool tool : Tool.values()) {
            try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
                tool.migrate(pool, database);
                OutboxBackend backend = JdbcOutbox.of(pool).backend();
                assertThatThrownBy(backend::prepareKeys)
                        .hasMessageContaining("schema/" + script(database) + "-keyed.sql");

                if (tool == Tool.NONE) {
                    OutboxSchema.of(pool).createKeyedIfMissing();
                } else if (tool == Tool.FLYWAY) {
                    String location = "classpath:schema/flyway%s/" + script(database);
                    flyway(pool, location.formatted(""), location.formatted("-lanes"), location.formatted("-keyed"));
                } else {
                    liquibase(pool, "schema/liquibase/outbox-keyed.xml");
                }

                assertThat(OutboxSchema.of(pool).isKeyed()).isTrue();
                backend.prepareKeys();
                catalogs.add(catalog(pool));
                if (database != TestDatabase.POSTGRESQL) {
                    assertThat(single(pool, "SELECT COUNT(*) FROM outbox_event_lock"))
                            .isEqualTo("1000");
                    OutboxRows.execute(pool, "DROP TABLE outbox_event_lock");
                    assertThatThrownBy(backend::prepareKeys).hasMessageContaining("outbox_event_lock");
                }
            }
        }
        assertThat(catalogs).containsOnly(catalogs.get(0));
    }

    private static String single(HikariDataSource pool, String query) throws SQLException {
        try (Connection conn = pool.getConnection();
                Statement statement = conn.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getString(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyToolLeadsToTheSameTable(TestDatabase database) throws Exception {
        List<Set<String>> catalogs = new ArrayList<>();
        for (Tool tool : Tool.values()) {
            try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
                tool.migrate(pool, database);

                catalogs.add(catalog(pool));
                assertUpToDate(pool);
            }
        }
        assertThat(catalogs.get(0)).hasSizeGreaterThan(20);
        assertThat(catalogs).containsOnly(catalogs.get(0));
    }

    @ParameterizedTest
    @EnumSource
    void everyToolBringsATableOfTheFirstVersionUpToDate(TestDatabase database) throws Exception {
        for (Tool tool : Tool.values()) {
            try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
                createVersion1(pool, database);
                try (CapturedLog log = CapturedLog.open()) {
                    OutboxSchema.of(pool).validate();
                    assertThat(log.text())
                            .contains("there is no index on ", "done_at, created_at")
                            .contains("schema/" + script(database) + ".sql in the outbox-jdbc jar (version 2");
                }

                tool.migrate(pool, database);

                assertUpToDate(pool);
            }
        }
    }

    /** Another version of the library has other scripts, which the tools then run on a table that is up to date. */
    @ParameterizedTest
    @EnumSource
    void scriptsThatHaveChangedRunAgain(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            Tool.FLYWAY.migrate(pool, database);
            Tool.LIQUIBASE.migrate(pool, database);
            Set<String> before = catalog(pool);
            boolean isH2 = database == TestDatabase.H2;
            OutboxRows.execute(
                    pool,
                    isH2
                            ? "UPDATE \"flyway_schema_history\" SET \"checksum\" = 1"
                            : "UPDATE flyway_schema_history SET checksum = 1",
                    "UPDATE DATABASECHANGELOG SET MD5SUM = '9:00000000000000000000000000000000'");

            Tool.FLYWAY.migrate(pool, database);
            Tool.LIQUIBASE.migrate(pool, database);

            assertThat(catalog(pool)).isEqualTo(before);
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM DATABASECHANGELOG WHERE EXECTYPE = 'RERAN'"))
                    .isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource
    void scriptsNameTheirVersion(TestDatabase database) throws IOException {
        for (String path : List.of("/schema/%s.sql", "/schema/flyway/%s/R__outbox_event.sql")) {
            try (InputStream in = OutboxSchema.class.getResourceAsStream(path.formatted(script(database)))) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("-- Outbox schema for ")
                        .contains(", version " + OutboxSchema.VERSION + ".");
            }
        }
    }

    private static void assertUpToDate(HikariDataSource pool) {
        try (CapturedLog log = CapturedLog.open()) {
            assertThat(OutboxSchema.of(pool).validate().hasLaneIndex()).isTrue();
            assertThat(log.text()).isEmpty();
        }
    }

    /** Returns what the driver says of the table: its columns, and the columns of its indexes. */
    private static Set<String> catalog(HikariDataSource pool) throws SQLException {
        Set<String> catalog = new TreeSet<>();
        try (Connection conn = pool.getConnection()) {
            for (String name : List.of("outbox_event", "OUTBOX_EVENT")) {
                try (ResultSet columns = conn.getMetaData().getColumns(conn.getCatalog(), null, name, null)) {
                    add(
                            columns,
                            catalog,
                            "COLUMN_NAME",
                            "TYPE_NAME",
                            "COLUMN_SIZE",
                            "DECIMAL_DIGITS",
                            "IS_NULLABLE",
                            "COLUMN_DEF");
                }
                try (ResultSet indexes = conn.getMetaData().getIndexInfo(conn.getCatalog(), null, name, false, true)) {
                    add(
                            indexes,
                            catalog,
                            "NON_UNIQUE",
                            "ORDINAL_POSITION",
                            "COLUMN_NAME",
                            "ASC_OR_DESC",
                            "FILTER_CONDITION");
                }
            }
        }
        return catalog;
    }

    private static void add(ResultSet rows, Set<String> catalog, String... labels) throws SQLException {
        while (rows.next()) {
            List<String> values = new ArrayList<>();
            for (String label : labels) {
                values.add(rows.getString(label));
            }
            catalog.add(values.toString());
        }
    }
}
