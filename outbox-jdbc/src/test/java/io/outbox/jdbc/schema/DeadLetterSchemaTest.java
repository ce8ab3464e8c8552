package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables of dead letters and of the administration, and the tools that create them. */
class DeadLetterSchemaTest {

    @ParameterizedTest
    @EnumSource
    void flywayCreatesThem(TestDatabase database) {
        String name = database.name().toLowerCase(Locale.ROOT);
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            Flyway.configure()
                    .dataSource(pool)
                    .locations("classpath:schema/flyway-dlq/" + name, "classpath:schema/flyway-admin/" + name)
                    .load()
                    .migrate();

            assertComplete(pool);
        }
    }

    @ParameterizedTest
    @EnumSource
    void liquibaseCreatesThem(TestDatabase database) throws Exception {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            for (String changeLog : List.of("schema/liquibase/outbox-dlq.xml", "schema/liquibase/outbox-admin.xml")) {
                try (Connection conn = pool.getConnection()) {
                    Database target =
                            DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(conn));
                    new CommandScope(UpdateCommandStep.COMMAND_NAME)
                            .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, target)
                            .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, changeLog)
                            .execute();
                }
            }

            assertComplete(pool);
        }
    }

    private static void assertComplete(HikariDataSource pool) {
        DeadLetterSchema.of(pool, DeadLetterStore.of(JdbcOutbox.of(pool).store()))
                .validate();
        for (String table : List.of("audit", "node", "control", "figures")) {
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event_" + table))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theyAreCreatedOnceAndUnderAnyName(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            DeadLetterStore store =
                    DeadLetterStore.of(JdbcOutbox.of(pool, "orders").store());
            assertThat(store.tableName()).isEqualTo("orders_dlq");

            DeadLetterSchema.of(pool, store).createIfMissing().createIfMissing().validate();

            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM orders_dlq_attempt"))
                    .isZero();
        }
    }

    @Test
    void whatIsMissingIsNamed() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2)) {
            DeadLetterSchema schema = DeadLetterSchema.of(
                    pool, DeadLetterStore.of(JdbcOutbox.of(pool).store()));
            assertThatThrownBy(schema::validate)
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("outbox_dlq_event cannot be used: it does not exist")
                    .hasMessageContaining("schema/h2-dlq.sql");
            schema.createIfMissing();
            OutboxRows.execute(pool, "ALTER TABLE outbox_dlq_event_attempt DROP COLUMN node");
            assertThatThrownBy(schema::validate)
                    .hasMessageContaining("outbox_dlq_event_attempt cannot be used")
                    .hasMessageContaining("column node is missing");
        }
    }

    @Test
    void tablesAreNamedAfterThatOfTheOutbox() {
        assertThat(DeadLetterStore.tableFor("outbox_event")).isEqualTo("outbox_dlq_event");
        assertThat(DeadLetterStore.tableFor("app.outbox_event")).isEqualTo("app.outbox_dlq_event");
        assertThat(DeadLetterStore.tableFor("app.orders")).isEqualTo("app.orders_dlq");
    }
}
