package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the calls of administration and of the dead letter queue read: what they return, and not the rest of the table.
 */
class AdminIndexUseTest {

    private static final String EVENTS = "outbox_event";
    private static final String LETTERS = "outbox_dlq_event";
    private static final int ROWS = 30_000;
    private static final int MOVED = ROWS / 4 * 3;
    private static final int RARE = ROWS / 100;
    private static final int LIMIT = 50;
    /** Letters are read state by state, and each read may look at a row or two more than it returns. */
    private static final int A_PAGE = 3 * LIMIT;

    /** What a search looks at; rows that do not match count when they are read and when they are left out. */
    private static final int A_WINDOW = 2 * 20_000;

    private static final Instant LONG_AGO = Instant.parse(BigTable.LONG_AGO.replace(' ', 'T') + "Z");

    private final StatementRecorder recorder = new StatementRecorder();

    static Stream<IndexUseContract> databases() {
        return Stream.of(new PostgresIndexUseTest(), new MySqlIndexUseTest(), new MariaDbIndexUseTest());
    }

    @ParameterizedTest
    @MethodSource("databases")
    void deadLettersAreReadByTheirIndexes(IndexUseContract database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.database().newUrl(), 2)) {
            JdbcOutbox.of(pool).withDeadLetters().createSchema();
            OutboxRows.execute(pool, database.data().insertLetters(LETTERS, ROWS));
            database.analyze(pool, LETTERS);
            DataSource recorded = recorder.before(pool);
            DeadLetterBackend letters = DeadLetterStore.of(
                            JdbcOutbox.of(recorded).store())
                    .housekeeping(new DataSourceConnectionProvider(recorded), (conn, before, limit) -> 0)
                    .deadEvents()
                    .flatMap(DeadEventBackend::queue)
                    .orElseThrow();
            String fingerprint = letters.groups(1).get(0).fingerprint();
            String id = letters.query(DeadLetterQuery.of(DlqStatus.MOVED, 1))
                    .items()
                    .get(0)
                    .eventId();
            recorder.take("");
            Cost cost = new Cost(database, pool, LETTERS);

            DeadLetterQuery page = DeadLetterQuery.of(DlqStatus.MOVED, LIMIT);
            cost.of(() -> letters.query(page), A_PAGE);
            cost.of(() -> letters.query(page.after(letters.query(page).next())), A_PAGE);
            DeadLetterQuery newest = page.in(DeadLetterQuery.Order.NEWEST_FIRST);
            cost.of(() -> letters.query(newest), A_PAGE);
            cost.of(() -> letters.query(newest.after(letters.query(newest).next())), A_PAGE);
            cost.of(
                    () -> letters.query(
                            DeadLetterQuery.matching(DeadLetterFilter.of(null, BigTable.RARE_TYPE, null), LIMIT)),
                    A_PAGE + RARE);
            cost.of(
                    () -> letters.query(DeadLetterQuery.matching(
                            DeadLetterFilter.of(DlqStatus.MOVED, BigTable.TYPE, fingerprint), LIMIT)),
                    A_PAGE);
            cost.of(() -> letters.list(DlqStatus.MOVED, LIMIT, LIMIT), 2 * A_PAGE);
            cost.of(() -> letters.list(null, LIMIT, LIMIT), 5 * A_PAGE);
            cost.of(() -> letters.count(DeadLetterFilter.of(null, BigTable.RARE_TYPE, null)), RARE + 3);
            cost.of(() -> letters.find(List.of(id)), 3);
            cost.of(() -> letters.count(DlqStatus.MOVED, null), MOVED + 3);
            cost.of(() -> letters.count(null, BigTable.RARE_TYPE), RARE + 3);
            cost.of(() -> letters.countByState(LIMIT), A_PAGE);
            cost.of(() -> letters.groups(10), MOVED + A_PAGE);
            cost.of(() -> letters.returnApproved(LIMIT, tried -> {}), 3);
            cost.of(() -> letters.cleanUp(LONG_AGO, LIMIT), 3);
            cost.of(() -> letters.delete(List.of(id)), 3);
        }
    }

    @ParameterizedTest
    @MethodSource("databases")
    void deadEventsAreReadByTheirIndex(IndexUseContract database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.database().newUrl(), 2)) {
            inspectionOfMany(database, pool);
            DeadEventBackend dead =
                    JdbcOutbox.of(recorder.before(pool)).backend().deadEvents().orElseThrow();
            recorder.take("");
            Cost cost = new Cost(database, pool, EVENTS);

            DeadLetterQuery page = DeadLetterQuery.of(DlqStatus.MOVED, LIMIT);
            cost.of(() -> dead.groups(LIMIT), 3 * RARE);
            cost.of(() -> dead.query(page), A_PAGE);
            cost.of(() -> dead.query(page.after(dead.query(page).next())), A_PAGE);
            cost.of(() -> dead.query(page.in(DeadLetterQuery.Order.NEWEST_FIRST)), A_PAGE);
            cost.of(() -> dead.countByState(LIMIT), A_PAGE);
            cost.of(() -> dead.count(DeadLetterFilter.of(null, null, null)), 3 * RARE);
            cost.of(() -> dead.count(DeadLetterFilter.of(null, BigTable.TYPE, null)), 2 * 3 * RARE);
            List<DeadLetter> two = dead.query(page).items();
            recorder.take("");
            cost.of(() -> dead.find(List.of(two.get(0).eventId())), 3);
            cost.of(() -> dead.returnToOutbox(List.of(two.get(0).eventId())), 3);
            cost.of(() -> dead.delete(List.of(two.get(1).eventId())), 3);
        }
    }

    /** MySQL and MariaDB read a window of events as a whole, and so more than what is returned. */
    @Test
    void eventsAreReadByTheIndexesThatDeliveryHas() throws SQLException {
        IndexUseContract database = new PostgresIndexUseTest();
        try (HikariDataSource pool = TestDatabase.pool(database.database().newUrl(), 2)) {
            InspectionBackend inspection = inspectionOfMany(database, pool);
            String id = inspection
                    .search(EventFilter.ALL, null, 1)
                    .events()
                    .get(0)
                    .event()
                    .eventId();
            recorder.take("");
            Cost cost = new Cost(database, pool, EVENTS);

            cost.of(() -> inspection.search(EventFilter.ALL, null, LIMIT), A_PAGE);
            cost.of(() -> inspection.search(EventFilter.ALL, id, LIMIT), A_PAGE);
            cost.of(() -> inspection.search(in(EventStatus.NEW), null, LIMIT), 3 * RARE);
            cost.of(() -> inspection.search(in(EventStatus.DEAD), null, LIMIT), 3 * RARE);
            cost.of(() -> inspection.find(id), 3);
            cost.of(inspection::nodes, 2 * 3 * RARE); // counted, then read
            cost.of(() -> inspection.open(LONG_AGO), 2 * 3 * RARE);
            cost.of(() -> inspection.release(List.of(id)), 3);
        }
    }

    private InspectionBackend inspectionOfMany(IndexUseContract database, HikariDataSource pool) throws SQLException {
        JdbcOutbox.of(pool).createSchema();
        OutboxRows.execute(
                pool,
                database.data().insertFinished(EVENTS, 0, ROWS),
                database.data().insertPending(EVENTS, 0, RARE));
        database.analyze(pool, EVENTS);
        return inspection(recorder.before(pool));
    }

    private static InspectionBackend inspection(DataSource recorded) {
        return JdbcOutbox.of(recorded)
                .store()
                .housekeeping(new DataSourceConnectionProvider(recorded), (conn, before, limit) -> 0)
                .inspection()
                .orElseThrow();
    }

    /**
     * PostgreSQL has one index for all pending events, in which those in a state of which there are few are far apart.
     */
    @Test
    void aSearchForFewAmongManyPendingEventsStopsAfterAWindow() throws SQLException {
        IndexUseContract database = new PostgresIndexUseTest();
        try (HikariDataSource pool = TestDatabase.pool(database.database().newUrl(), 2)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, database.data().insertDelayed(EVENTS, 0, 2 * ROWS));
            database.analyze(pool, EVENTS);
            DataSource recorded = recorder.before(pool);
            InspectionBackend inspection = inspection(recorded);
            recorder.take("");

            new Cost(database, pool, EVENTS).of(() -> inspection.search(in(EventStatus.RETRY), null, LIMIT), A_WINDOW);
        }
    }

    private static EventFilter in(EventStatus state) {
        return EventFilter.ALL.in(state);
    }

    /** Checks what each statement of a call has read; to scan the table is always too much. */
    private final class Cost {

        private final IndexUseContract database;
        private final HikariDataSource pool;
        private final String table;

        private Cost(IndexUseContract database, HikariDataSource pool, String table) {
            this.database = database;
            this.pool = pool;
            this.table = table;
        }

        void of(Runnable call, long rows) throws SQLException {
            call.run();
            List<RecordedStatement> statements = recorder.take(table);
            assertThat(statements).isNotEmpty();
            try (Connection conn = pool.getConnection()) {
                conn.setAutoCommit(false);
                for (RecordedStatement statement : statements) {
                    for (Plan plan : database.explain(conn, statement)) {
                        assertThat(plan.rowsExamined()).as(plan.text()).isLessThanOrEqualTo(rows);
                    }
                    conn.rollback();
                }
            }
        }
    }
}
