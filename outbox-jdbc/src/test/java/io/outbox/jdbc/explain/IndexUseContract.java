package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import io.outbox.spi.OutboxBackend.FetchRequest;
import io.outbox.spi.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What statements cost in a table with many finished and many pending events. Each test lets the engine do its work,
 * records the statements it sends, and asks the database how it runs exactly these.
 */
@Tag("scale")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class IndexUseContract {

    private static final String BIG = "outbox_event";
    private static final String DELAYED = "outbox_delayed";
    private static final int LIMIT = 100;
    private static final Instant OF_LATE = Instant.parse(BigTable.OF_LATE.replace(' ', 'T') + "Z");
    private static final Instant LONG_AGO = Instant.parse(BigTable.LONG_AGO.replace(' ', 'T') + "Z");
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));

    private final StatementRecorder recorder = new StatementRecorder();
    private HikariDataSource pool;
    private OutboxBackend big;
    private OutboxBackend delayed;

    abstract TestDatabase database();

    abstract BigTable data();

    /** Runs a statement, without lasting effect, and returns how it was run. */
    abstract List<Plan> explain(Connection conn, RecordedStatement statement) throws SQLException;

    abstract String pendingIndex(String table);

    abstract String finishedIndex(String table);

    /** The index that serves pages of dead events. */
    String deadIndex(String table) {
        return finishedIndex(table);
    }

    abstract String primaryKey(String table);

    int finished() {
        return 1_000_000;
    }

    int pending() {
        return 200_000;
    }

    int rowsPerInsert() {
        return 100_000;
    }

    /** Lets the database look at its tables before the first plan is made. */
    abstract void analyze(HikariDataSource dataSource);

    @BeforeAll
    void load() {
        pool = TestDatabase.pool(database().newUrl(), 2);
        OutboxSchema.of(pool, BIG).createIfMissing();
        OutboxSchema.of(pool, DELAYED).createIfMissing();
        for (int from = 0; from < finished(); from += rowsPerInsert()) {
            OutboxRows.execute(pool, data().insertFinished(BIG, from, rowsPerInsert()));
        }
        for (int from = 0; from < pending(); from += rowsPerInsert()) {
            OutboxRows.execute(pool, data().insertPending(BIG, from, rowsPerInsert()));
            OutboxRows.execute(pool, data().insertDelayed(DELAYED, from, rowsPerInsert()));
        }
        OutboxRows.execute(pool, data().insertPending(DELAYED, 0, 1_000));
        analyze(pool);
        big = JdbcOutbox.of(recorder.before(pool), BIG).backend();
        delayed = JdbcOutbox.of(recorder.before(pool), DELAYED).backend();
        assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM " + BIG + " WHERE status IN (1, 3)"))
                .isEqualTo(finished());
        assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM " + BIG + " WHERE status IN (0, 2)"))
                .isEqualTo(pending());
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @Test
    void aClaimReadsWhatItTakes() throws SQLException {
        List<OutboxEvent> claimed = big.claim(new ClaimRequest(LEASE, Duration.ZERO, LIMIT));

        assertThat(claimed).hasSize(LIMIT);
        assertCheap(BIG, 10 * LIMIT, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aClaimReadsNoEventsThatAreNotDue() throws SQLException {
        List<OutboxEvent> claimed = delayed.claim(new ClaimRequest(LEASE, Duration.ZERO, LIMIT));

        assertThat(claimed).hasSize(LIMIT);
        assertCheap(DELAYED, 10 * LIMIT, pendingIndex(DELAYED), primaryKey(DELAYED));
    }

    @Test
    void aClaimThatGoesOnReadsNothingThatItHasPassed() throws SQLException {
        OutboxEvent inTheMiddle = rowAt(OF_LATE.plusMillis(pending() / 2));

        List<OutboxEvent> claimed = big.claim(
                new ClaimRequest(LEASE, Duration.ZERO, EventTypes.ALL, LIMIT, inTheMiddle, true, takenOver -> {}));

        assertThat(claimed).hasSize(LIMIT);
        assertThat(claimed.get(0).availableAt()).isAfter(inTheMiddle.availableAt());
        assertCheap(BIG, 10 * LIMIT, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aPollReadsItsPage() throws SQLException {
        List<OutboxEvent> page = big.fetch(new FetchRequest(Instant.now(), Duration.ZERO, LIMIT, null, 0));

        assertThat(page).hasSize(LIMIT);
        assertCheap(BIG, 3 * LIMIT, pendingIndex(BIG));
    }

    @Test
    void aPollForTheFollowingPageReadsThatPage() throws SQLException {
        OutboxEvent inTheMiddle = rowAt(OF_LATE.plusMillis(pending() / 2));

        List<OutboxEvent> page = big.fetch(new FetchRequest(Instant.now(), Duration.ZERO, LIMIT, inTheMiddle, 0));

        assertThat(page).hasSize(LIMIT);
        assertThat(page.get(0).availableAt()).isAfter(inTheMiddle.availableAt());
        assertCheap(BIG, 3 * LIMIT, pendingIndex(BIG));
    }

    @Test
    void theNextDueTimeIsLookedUp() throws SQLException {
        assertThat(big.nextDueAt(Instant.now())).isEmpty();
        assertCheap(BIG, 10, pendingIndex(BIG));

        assertThat(delayed.nextDueAt(Instant.now())).isPresent();
        assertCheap(DELAYED, 10, pendingIndex(DELAYED));
    }

    @Test
    void aPurgeThatFindsLittleReadsLittle() throws SQLException {
        assertThat(big.purge(LONG_AGO.plusMillis(30), LIMIT)).isPositive().isLessThanOrEqualTo(31);

        assertCheap(BIG, 3 * LIMIT, finishedIndex(BIG), deadIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aPurgeThatFindsNothingReadsNothing() throws SQLException {
        assertThat(big.purge(LONG_AGO.minusSeconds(1), LIMIT)).isZero();

        assertCheap(BIG, 10, finishedIndex(BIG), deadIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aPurgeOfManyReadsItsBatch() throws SQLException {
        assertThat(big.purge(LONG_AGO.plusSeconds(60), LIMIT)).isEqualTo(LIMIT);

        assertCheap(BIG, 10 * LIMIT, finishedIndex(BIG), deadIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aPageOfDeadEventsReadsThatPage() throws SQLException {
        assertThat(big.queryDead(null, null, LIMIT)).hasSize(LIMIT);

        assertCheap(BIG, 2 * LIMIT, deadIndex(BIG));
    }

    @Test
    void aPageOfDeadEventsOfATypeReadsDeadEventsOnly() throws SQLException {
        assertThat(big.queryDead(BigTable.RARE_TYPE, null, 3)).isNotEmpty();

        assertCheap(BIG, finished() / 100 + 10, deadIndex(BIG));
    }

    @Test
    void theCountOfDeadEventsReadsDeadEventsOnly() throws SQLException {
        assertThat(big.countDead(null)).isPositive();

        for (Plan plan : plans(BIG)) {
            assertThat(plan.rowsExamined()).as(plan.text()).isLessThanOrEqualTo(finished() / 100 + 10);
        }
    }

    @Test
    void whatIsPendingIsCountedWithoutFinishedEvents() throws SQLException {
        assertThat(big.pending(Instant.now())).isNotEmpty();

        for (Plan plan : plans(BIG)) {
            assertThat(plan.rowsExamined()).as(plan.text()).isLessThanOrEqualTo(2L * pending());
        }
    }

    @Test
    void outcomesAndLocksAreWrittenById() throws SQLException {
        List<String> ids = new ArrayList<>();
        for (OutboxEvent event : big.claim(new ClaimRequest(LEASE, Duration.ZERO, LIMIT))) {
            ids.add(event.eventId());
        }
        recorder.take(BIG);

        assertThat(big.renew(LEASE.ownerId(), ids)).hasSize(LIMIT);
        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));

        assertThat(big.release(LEASE.ownerId(), ids.subList(0, 10))).isEqualTo(10);
        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));

        Instant now = Instant.now();
        List<Outcome> outcomes = new ArrayList<>();
        ids.subList(10, 80).forEach(id -> outcomes.add(new Outcome.Done(id, now)));
        ids.subList(80, 90).forEach(id -> outcomes.add(new Outcome.Failed(id, now, 0, 10, "broken")));
        ids.subList(90, 95).forEach(id -> outcomes.add(new Outcome.Deferred(id, now)));
        ids.subList(95, LIMIT).forEach(id -> outcomes.add(new Outcome.Dead(id, "hopeless")));
        assertThat(big.apply(LEASE.ownerId(), outcomes)).hasSize(outcomes.size());
        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));
    }

    private OutboxEvent rowAt(Instant availableAt) {
        List<OutboxEvent> before = big.fetch(new FetchRequest(
                availableAt,
                Duration.ZERO,
                1,
                new OutboxEvent("0", "", "", "", "", "", "", 0, availableAt, availableAt),
                0));
        recorder.take(BIG);
        assertThat(before).hasSize(1);
        return before.get(0);
    }

    /** Checks that all statements since the last check use these indexes only, sort nothing and read that much. */
    private void assertCheap(String table, long rows, String... indexes) throws SQLException {
        List<Plan> plans = plans(table);
        assertThat(plans).isNotEmpty();
        Set<String> used = new TreeSet<>();
        for (Plan plan : plans) {
            assertThat(plan.fullScan()).as("full scan: " + plan.text()).isFalse();
            assertThat(plan.sort()).as("sort: " + plan.text()).isFalse();
            assertThat(plan.rowsExamined()).as(plan.text()).isLessThanOrEqualTo(rows);
            assertThat(plan.indexes()).as(plan.text()).isSubsetOf(indexes);
            used.addAll(plan.indexes());
        }
        assertThat(used).as(plans.toString()).contains(indexes[0]);
    }

    private List<Plan> plans(String table) throws SQLException {
        List<Plan> plans = new ArrayList<>();
        try (Connection conn = pool.getConnection()) {
            conn.setAutoCommit(false);
            for (RecordedStatement statement : recorder.take(table)) {
                plans.addAll(explain(conn, statement));
                conn.rollback();
            }
        }
        return plans;
    }
}
