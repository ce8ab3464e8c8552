package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.StoreFigure;
import io.outbox.model.StoreFigure.Kind;
import io.outbox.spi.InspectionBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What databases tell about themselves, and what to do about it. */
class DatabaseFiguresTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static InspectionBackend inspection(HikariDataSource pool) {
        return JdbcOutbox.of(pool).createSchema().backend().inspection().orElseThrow();
    }

    private static Map<Kind, StoreFigure> figures(InspectionBackend inspection) {
        return inspection.figures().stream().collect(Collectors.toMap(StoreFigure::kind, figure -> figure));
    }

    @ParameterizedTest
    @EnumSource
    void aDatabaseTellsWhatItsKindCanTell(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 4);
                Connection open = pool.getConnection()) {
            InspectionBackend inspection = inspection(pool);
            open.setAutoCommit(false);
            execute(open, "UPDATE outbox_event SET attempts = 0");
            execute(open, "SELECT event_id FROM outbox_event FOR UPDATE");

            Map<Kind, StoreFigure> figures = figures(inspection);

            assertThat(inspection.figureKinds()).containsAll(figures.keySet());
            assertThat(figures.isEmpty()).isEqualTo(database == TestDatabase.H2);
            if (database != TestDatabase.H2) {
                assertThat(figures).containsKeys(Kind.OLDEST_TRANSACTION_SECONDS, Kind.BLOCKED_STATEMENTS);
                assertThat(figures.get(Kind.OLDEST_TRANSACTION_SECONDS).value()).isNotNegative();
                assertThat(figures.get(Kind.OLDEST_TRANSACTION_SECONDS).advice())
                        .isNull();
            }
            open.rollback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = "H2", mode = EnumSource.Mode.EXCLUDE)
    void aStatementThatWaitsForALockForSecondsIsCountedWithAdvice(TestDatabase database) throws SQLException {
        assertThatALongWaitIsCounted(database.newUrl());
    }

    /** InnoDB knows only the zone of the server. */
    @ParameterizedTest
    @CsvSource({"MYSQL,-05:00", "MYSQL,%2B05:00", "MARIADB,-05:00", "MARIADB,+05:00"})
    void aSessionWithAnotherZoneCountsTheSameSeconds(TestDatabase database, String zone) throws SQLException {
        assertThatALongWaitIsCounted(database.newUrl() + "&sessionVariables=time_zone='" + zone + "'");
    }

    private static void assertThatALongWaitIsCounted(String url) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(url, 4);
                Connection locking = pool.getConnection()) {
            InspectionBackend inspection = inspection(pool);
            OutboxRows.execute(
                    pool,
                    "INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)"
                            + " VALUES ('1', 'Locked', '{}', 0, '2020-01-01 00:00:00', '2020-01-01 00:00:00')");
            locking.setAutoCommit(false);
            execute(locking, "UPDATE outbox_event SET attempts = 1");
            Thread blocked =
                    new Thread(() -> OutboxRows.execute(pool, "UPDATE outbox_event SET attempts = 0"), "blocked");
            blocked.start();

            await().atMost(PATIENCE).untilAsserted(() -> {
                StoreFigure figure = figures(inspection).get(Kind.BLOCKED_STATEMENTS);
                assertThat(figure.value()).isEqualTo(1);
                assertThat(figure.advice()).contains("names who has it");
            });
            assertThat(figures(inspection).get(Kind.OLDEST_TRANSACTION_SECONDS).value())
                    .isBetween(5.0, 3600.0);
            assertThat(blockedForAnHour(pool))
                    .as("a moment is nothing to look at")
                    .isZero();
            locking.rollback();
            await().atMost(PATIENCE).until(() -> !blocked.isAlive());
        }
    }

    private static double blockedForAnHour(HikariDataSource pool) throws SQLException {
        AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).store();
        List<DatabaseFigures.Question> questions = store.figures().stream()
                .filter(question -> question.kind() == Kind.BLOCKED_STATEMENTS)
                .map(question -> new DatabaseFigures.Question(
                        question.kind(), question.query().replace("'5' SECOND", "'1' HOUR"), 1, "none"))
                .toList();
        try (Connection conn = pool.getConnection()) {
            return new DatabaseFigures(store, conn).ask(questions).get(0).value();
        }
    }

    @Test
    void aPreparedTransactionIsAnOldSnapshot() throws SQLException {
        String name = "forgotten_" + Long.toHexString(System.nanoTime());
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4);
                Connection conn = pool.getConnection()) {
            InspectionBackend inspection = inspection(pool);
            execute(conn, "BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION '" + name + "'");
            try {
                for (int i = 0; i < 10; i++) {
                    OutboxRows.texts(pool, "SELECT pg_current_xact_id()");
                }

                Map<Kind, StoreFigure> figures = figures(inspection);

                assertThat(figures.get(Kind.OLDEST_SNAPSHOT_TRANSACTIONS).value())
                        .isGreaterThanOrEqualTo(10);
                assertThat(figures).containsKey(Kind.OLDEST_TRANSACTION_SECONDS);
            } finally {
                execute(conn, "ROLLBACK PREPARED '" + name + "'");
            }
        }
    }

    @Test
    void aReplicationSlotThatNobodyReadsShows() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4)) {
            InspectionBackend inspection = inspection(pool);
            String slot = "unread_" + Long.toHexString(System.nanoTime());
            OutboxRows.texts(pool, "SELECT pg_create_physical_replication_slot('" + slot + "', true)");
            try {
                assertThat(figures(inspection)).containsKey(Kind.SLOT_RETAINED_BYTES);
            } finally {
                OutboxRows.texts(pool, "SELECT pg_drop_replication_slot('" + slot + "')");
            }
        }
    }

    @Test
    void adviceIsGivenFromItsLimitOnAndAQuestionThatIsRefusedIsLeftOut() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 2);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).store();

            List<StoreFigure> figures = new DatabaseFigures(store, conn)
                    .ask(List.of(
                            new DatabaseFigures.Question(Kind.DEAD_ROWS, "SELECT 41", 42, "do something"),
                            new DatabaseFigures.Question(Kind.DEAD_ROWS, "SELECT 42", 42, "do something"),
                            new DatabaseFigures.Question(Kind.DEAD_ROWS, "SELECT NULL", 0, "do something"),
                            new DatabaseFigures.Question(Kind.DEAD_ROWS, "SELECT nonsense", 0, "do something")));

            assertThat(figures)
                    .containsExactly(
                            new StoreFigure(Kind.DEAD_ROWS, 41, null),
                            new StoreFigure(Kind.DEAD_ROWS, 42, "do something"));
        }
    }

    @Test
    void aUserWithoutFurtherRightsGetsWhatItMayKnow() {
        String url = TestDatabase.MYSQL.newUrl();
        String user = "plain" + Long.toHexString(System.nanoTime());
        try (HikariDataSource pool = TestDatabase.pool(url, 2)) {
            inspection(pool);
            String schema = OutboxRows.texts(pool, "SELECT DATABASE()").get(0);
            OutboxRows.execute(
                    pool,
                    "CREATE USER " + user + "@'%' IDENTIFIED BY 'plain'",
                    "GRANT SELECT, INSERT, UPDATE, DELETE ON " + schema + ".* TO " + user + "@'%'");
        }
        String asPlain = url.replace("user=outbox", "user=" + user).replace("password=outbox", "password=plain");
        try (HikariDataSource pool = TestDatabase.pool(asPlain, 2)) {
            assertThat(JdbcOutbox.of(pool).backend().inspection().orElseThrow().figures())
                    .isEmpty();
        }
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new OutboxStoreException(sql, e);
        }
    }
}
