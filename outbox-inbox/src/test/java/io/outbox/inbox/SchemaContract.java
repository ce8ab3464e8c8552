package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.testing.contract.Parallel;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import liquibase.command.CommandScope;
import liquibase.command.core.UpdateCommandStep;
import liquibase.command.core.helpers.DbUrlConnectionArgumentsCommandStep;
import liquibase.database.Database;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How the table comes into being and what is checked of it, on any database. */
abstract class SchemaContract {

    private final TestDatabase database;
    private HikariDataSource pool;
    private JdbcInbox inbox;

    SchemaContract(TestDatabase database) {
        this.database = database;
    }

    @BeforeEach
    void open() {
        pool = new HikariDataSource();
        pool.setJdbcUrl(database.newUrl());
        pool.setMaximumPoolSize(5);
        inbox = JdbcInbox.of(pool);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, sql);
        }
    }

    private void assertThatItWorks(JdbcInbox inbox) {
        OutboxIdempotentConsumer consumer = inbox.validateSchema().consumer().build();
        assertThat(consumer.consumeByIdReturning("a", () -> 1)).isPresent();
        assertThat(consumer.consumeByIdReturning("a", () -> 1)).isEmpty();
    }

    @Test
    void aMissingTableIsNamedWithItsScript() {
        assertThatThrownBy(inbox::validateSchema)
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageContaining("outbox_consumed_event cannot be used: it does not exist")
                .hasMessageContaining("-inbox.sql");
    }

    @Test
    void severalNodesMayCreateTheTableAgainAndAtTheSameTime() {
        Callable<Object> create = inbox::createSchema;
        Parallel.run(Collections.nCopies(4, create));
        inbox.createSchema();

        assertThatItWorks(inbox);
    }

    @Test
    void aNodeThatStartsDoesNotWaitForWhatOthersConsume() {
        inbox.createSchema();
        inbox.consumer()
                .build()
                .consumeById(
                        "a",
                        () -> CompletableFuture.runAsync(inbox::createSchema)
                                .orTimeout(20, TimeUnit.SECONDS)
                                .join());
    }

    @Test
    void theTableMayHaveAnotherName() {
        JdbcInbox other = inbox.withTable("consumed_by_billing");

        assertThatItWorks(other.createSchema());

        assertThatThrownBy(inbox::validateSchema).hasMessageContaining("does not exist");
    }

    @Test
    void aTableWithoutTheKeyIsRefused() throws SQLException {
        execute("CREATE TABLE outbox_consumed_event (consumer VARCHAR(128) NOT NULL, event_id VARCHAR(36) NOT NULL)");

        assertThatThrownBy(inbox::validateSchema)
                .hasMessageContaining("column consumed_at is missing")
                .hasMessageContaining("column event_id is ")
                .hasMessageContaining("(36), not VARCHAR(128)")
                .hasMessageContaining("(consumer, event_id) is not a key");
    }

    @Test
    void aColumnOfAnotherTypeIsNamedWithTheStatementThatMendsIt() throws SQLException {
        inbox.createSchema();
        execute("ALTER TABLE outbox_consumed_event "
                + switch (database) {
                    case H2 -> "ALTER COLUMN consumed_at SET DATA TYPE DATE";
                    case POSTGRESQL -> "ALTER consumed_at TYPE date";
                    case MYSQL, MARIADB -> "MODIFY consumed_at DATE NOT NULL";
                });

        OutboxSchemaException wrong = catchThrowableOfType(OutboxSchemaException.class, inbox::validateSchema);

        assertThat(wrong).hasMessageContaining("column consumed_at is date");
        for (String statement : wrong.statements()) {
            execute(statement);
        }
        assertThatItWorks(inbox);
    }

    @Test
    void flywayCreatesTheTable() {
        for (int time = 0; time < 2; time++) {
            Flyway.configure()
                    .dataSource(pool)
                    .locations("classpath:schema/flyway-inbox/" + name())
                    .load()
                    .migrate();
        }

        assertThatItWorks(inbox);
    }

    @Test
    void liquibaseCreatesTheTable() throws Exception {
        try (Connection conn = pool.getConnection()) {
            Database target = DatabaseFactory.getInstance().findCorrectDatabaseImplementation(new JdbcConnection(conn));
            new CommandScope(UpdateCommandStep.COMMAND_NAME)
                    .addArgumentValue(DbUrlConnectionArgumentsCommandStep.DATABASE_ARG, target)
                    .addArgumentValue(UpdateCommandStep.CHANGELOG_FILE_ARG, "schema/liquibase/outbox-inbox.xml")
                    .execute();
        }

        assertThatItWorks(inbox);
    }

    @Test
    void theScriptsNameTheVersion() throws Exception {
        try (InputStream script = InboxSchema.class.getResourceAsStream("/schema/" + name() + "-inbox.sql")) {
            assertThat(new String(script.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("version " + InboxSchema.VERSION + ".");
        }
    }

    private String name() {
        return database.name().toLowerCase(Locale.ROOT);
    }
}
