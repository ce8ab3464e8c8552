package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Values that a database refuses, told from failures that may pass by themselves. */
class RefusalTest {

    private static final String TOO_LONG = "a text that is longer than the column";

    @ParameterizedTest
    @EnumSource
    void aValueThatDoesNotFitIsRefused(TestDatabase database) throws SQLException {
        assertRefusal(
                database,
                switch (database) {
                    case H2, POSTGRESQL -> "ALTER TABLE outbox_event ALTER COLUMN last_error TYPE VARCHAR(5)";
                    case MYSQL, MARIADB -> "ALTER TABLE outbox_event MODIFY last_error VARCHAR(5)";
                });
    }

    @ParameterizedTest
    @EnumSource
    void aValueThatViolatesACheckIsRefused(TestDatabase database) throws SQLException {
        assertRefusal(database, "ALTER TABLE outbox_event ADD CONSTRAINT no_dead CHECK (status <> 3)");
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
    void whatATriggerRefusesIsRefused(TestDatabase database) throws SQLException {
        assertRefusal(database, database == TestDatabase.POSTGRESQL ? new String[] {"""
                            CREATE FUNCTION refuse() RETURNS trigger AS
                            $$ BEGIN RAISE EXCEPTION 'no dead events here'; END $$ LANGUAGE plpgsql""", """
                            CREATE TRIGGER no_dead BEFORE UPDATE ON outbox_event
                            FOR EACH ROW WHEN (NEW.status = 3) EXECUTE FUNCTION refuse()"""} : new String[] {"""
                            CREATE TRIGGER no_dead BEFORE UPDATE ON outbox_event FOR EACH ROW
                            IF NEW.status = 3 THEN SIGNAL SQLSTATE '45000'; END IF"""});
    }

    @ParameterizedTest
    @EnumSource(names = {"MYSQL", "MARIADB"})
    void aTextThatTheColumnCannotHoldIsRefused(TestDatabase database) throws SQLException {
        assertRefusal(database, "ALTER TABLE outbox_event MODIFY last_error VARCHAR(4000) CHARACTER SET latin1");
    }

    /** Changes the table so that it takes no dead event with an error of any length, and lets one die. */
    private static void assertRefusal(TestDatabase database, String... changes) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            OutboxRows.execute(pool, changes);
            List<EventEnvelope> events = DeliveryFixture.events(3);
            store.insertBatch(conn, events);
            List<Outcome> outcomes = events.stream()
                    .map(event -> (Outcome) new Outcome.Dead(event.eventId(), TOO_LONG + " \u4e2d"))
                    .toList();

            OutboxStoreException one = catchThrowableOfType(
                    OutboxStoreException.class, () -> delivery(store, conn).apply(null, outcomes.subList(0, 1)));
            OutboxStoreException batch = catchThrowableOfType(
                    OutboxStoreException.class, () -> delivery(store, conn).apply(null, outcomes));

            assertThat(one.isRefusal()).as(one.getMessage()).isTrue();
            assertThat(batch.isRefusal()).as(batch.getMessage()).isTrue();
            assertThat(OutboxRows.where(pool, "status = 0")).hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "08000, 0",
        "08S01, 1153",
        "08006, 0",
        "40001, 1213",
        "40P01, 0",
        "42P01, 0",
        "53300, 0",
        "57P01, 0",
        "57014, 0",
        "HYT00, 50200",
        "HY000, 1205",
        "HY000, 0",
        "90131, 90131",
        ", 1366"
    })
    void whatMayPassByItselfIsNoRefusal(String state, int code) {
        SQLException failure = new SQLException("failed", state, code);

        assertThat(new OutboxStoreException("failed", failure).isRefusal()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"40001, 1213", "42P01, 0", "57014, 0", "25006, 0", "HY000, 1290", "23505, 0"})
    void whatTheDatabaseAnsweredWithAnErrorHasHadNoEffect(String state, int code) {
        SQLException failure = new SQLException("failed", state, code);

        assertThat(new OutboxStoreException("failed", failure).isWithoutEffect())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"08000, 0", "08S01, 1153", "08006, 0", "57P01, 0", "HYT00, 0", "HY000, 0", "90067, 90067", ", 1366"})
    void withoutAnAnswerNobodyKnowsWhetherThereWasAnEffect(String state, int code) {
        SQLException failure = new SQLException("failed", state, code);

        assertThat(new OutboxStoreException("failed", failure).isWithoutEffect())
                .isFalse();
        assertThat(new OutboxStoreException("failed").isWithoutEffect()).isFalse();
    }

    @Test
    void withoutAnAnswerOfTheDatabaseThereIsNoRefusal() {
        assertThat(new OutboxStoreException("failed").isRefusal()).isFalse();
        assertThat(new OutboxStoreException("failed", new IllegalStateException()).isRefusal())
                .isFalse();
    }

    @Test
    void aMissingTableAndATimeoutAreNoRefusals() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 1);
                Connection conn = pool.getConnection();
                Statement statement = conn.createStatement()) {
            AbstractJdbcOutboxStore store = new PostgresOutboxStore();
            OutboxStoreException missing =
                    catchThrowableOfType(OutboxStoreException.class, () -> store.markDone(conn, "any"));
            statement.execute("SET statement_timeout = 1");
            OutboxStoreException timeout = catchThrowableOfType(
                    OutboxStoreException.class,
                    () -> JdbcTemplate.query(conn, "SELECT pg_sleep(10)", row -> row.getString(1)));

            assertThat(missing.isRefusal()).isFalse();
            assertThat(timeout.isRefusal()).isFalse();
        }
    }
}
