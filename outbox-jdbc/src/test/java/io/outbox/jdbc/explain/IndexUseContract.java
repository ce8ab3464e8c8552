package io.outbox.jdbc.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
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
    private static final String LANED = "outbox_laned";
    private static final String KEYED = "outbox_ordered";
    private static final int KEYED_ROWS = 20_000;
    private static final String BLOCKED_KEY = "T/k-1-deep#";
    private static final int LIMIT = 100;
    /** So few rows that it does not matter in which order they are read. */
    private static final int A_FEW = 10;

    private static final Instant OF_LATE = Instant.parse(BigTable.OF_LATE.replace(' ', 'T') + "Z");
    private static final Instant LONG_AGO = Instant.parse(BigTable.LONG_AGO.replace(' ', 'T') + "Z");
    private static final Lease LEASE = new Lease("node", Duration.ofHours(1));

    private final StatementRecorder recorder = new StatementRecorder();
    private HikariDataSource pool;
    private OutboxBackend big;
    private OutboxBackend delayed;
    private OutboxBackend laned;
    private OutboxBackend keyed;
    private PageCursor middle;

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

    /** The index that serves reads of one type. */
    abstract String laneIndex(String table);

    /** The index of unfinished events by their keys. */
    abstract String keyedIndex(String table);

    /** The index that serves claims and polls of events without a key where others have one. */
    abstract String unkeyedIndex(String table);

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
    abstract void analyze(HikariDataSource dataSource, String... tables);

    @BeforeAll
    void load() {
        pool = TestDatabase.pool(database().newUrl(), 2);
        OutboxSchema.of(pool, BIG).createIfMissing();
        OutboxSchema.of(pool, DELAYED).createIfMissing();
        laned = JdbcOutbox.of(recorder.before(pool), LANED).createSchema().backend();
        laned.prepareReadsByType();
        for (int from = 0; from < finished(); from += rowsPerInsert()) {
            OutboxRows.execute(pool, data().insertFinished(BIG, from, rowsPerInsert()));
        }
        for (int from = 0; from < pending(); from += rowsPerInsert()) {
            OutboxRows.execute(pool, data().insertPending(BIG, from, rowsPerInsert()));
            OutboxRows.execute(pool, data().insertDelayed(DELAYED, from, rowsPerInsert()));
            OutboxRows.execute(pool, data().insertPending(LANED, from, rowsPerInsert()));
        }
        OutboxRows.execute(pool, data().insertPending(DELAYED, 0, 1_000));
        OutboxRows.execute(
                pool,
                "UPDATE " + LANED + " SET event_type = '" + BigTable.RARE_TYPE + "' WHERE event_id LIKE '%7777'",
                "UPDATE " + LANED + " SET event_type = '" + BigTable.OTHER_TYPES.get(0)
                        + "' WHERE event_id LIKE '%8888'",
                "UPDATE " + LANED + " SET event_type = '" + BigTable.OTHER_TYPES.get(1)
                        + "' WHERE event_id LIKE '%9999'");
        loadKeyed();
        analyze(pool, BIG, DELAYED, LANED, KEYED);
        big = JdbcOutbox.of(recorder.before(pool), BIG).backend();
        delayed = JdbcOutbox.of(recorder.before(pool), DELAYED).backend();
        middle = big.fetch(FetchRequest.first(Instant.now(), pending() / 2)).next();
        recorder.take(BIG);
        // the first read of an engine looks for what an order by key has left behind
        delayed.fetch(FetchRequest.first(LONG_AGO, 1));
        recorder.take(DELAYED);
        laned.fetch(FetchRequest.first(LONG_AGO, 1));
        recorder.take(LANED);
        assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM " + BIG + " WHERE status IN (1, 3)"))
                .isEqualTo(finished());
        assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM " + BIG + " WHERE status IN (0, 2)"))
                .isEqualTo(pending());
    }

    /**
     * Some keys with one event, among them one with many behind an event that blocks it, finished events and such
     * without a key.
     */
    private void loadKeyed() {
        keyed = JdbcOutbox.of(recorder.before(pool), KEYED).createSchema().backend();
        OutboxSchema.of(pool, KEYED).createKeyedIfMissing();
        keyed.prepareKeys();
        String update = "UPDATE " + KEYED + " SET ";
        OutboxRows.execute(
                pool,
                data().insertPending(KEYED, 0, KEYED_ROWS),
                update + "order_key = '" + BLOCKED_KEY + "' WHERE event_id NOT LIKE '%3'",
                update + "order_key = CONCAT('T/k-', RIGHT(event_id, 5), '#') WHERE event_id LIKE '%50'",
                update + "status = 1 WHERE event_id LIKE '%7'",
                update + "status = 2, available_at = TIMESTAMP '2200-01-01 00:00:00' WHERE event_id = '02100000000'");
    }

    @AfterAll
    void close() {
        pool.close();
    }

    @Test
    void aClaimReadsWhatItTakes() throws SQLException {
        ClaimedPage claimed = big.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT));

        assertThat(claimed.events()).hasSize(LIMIT);
        assertCheap(BIG, 10 * LIMIT, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aLookForWhatOrderByKeyHasLeftBehindReadsNothing() throws SQLException {
        OutboxBackend started = JdbcOutbox.of(recorder.before(pool), BIG).backend();

        started.claim(ClaimRequest.first(LEASE, LONG_AGO, 1));

        assertCheap(BIG, A_FEW, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aClaimReadsNoEventsThatAreNotDue() throws SQLException {
        ClaimedPage claimed = delayed.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT));

        assertThat(claimed.events()).hasSize(LIMIT);
        assertCheap(DELAYED, 10 * LIMIT, pendingIndex(DELAYED), primaryKey(DELAYED));
    }

    @Test
    void aClaimThatGoesOnReadsNothingThatItHasPassed() throws SQLException {
        ClaimedPage claimed =
                big.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT).after(middle));

        assertThat(claimed.events()).hasSize(LIMIT).allMatch(this::isInTheSecondHalf);
        assertCheap(BIG, 10 * LIMIT, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void aPollReadsItsPage() throws SQLException {
        Page<DueEvent> page = big.fetch(FetchRequest.first(Instant.now(), LIMIT));

        assertThat(page.items()).hasSize(LIMIT);
        assertCheap(BIG, 3 * LIMIT, pendingIndex(BIG));
    }

    @Test
    void aPollForTheFollowingPageReadsThatPage() throws SQLException {
        Page<DueEvent> page = big.fetch(FetchRequest.first(Instant.now(), LIMIT).after(middle));

        assertThat(page.items()).hasSize(LIMIT).allMatch(this::isInTheSecondHalf);
        assertCheap(BIG, 3 * LIMIT, pendingIndex(BIG));
    }

    private boolean isInTheSecondHalf(DueEvent due) {
        return !due.event().availableAt().isBefore(OF_LATE.plusMillis(pending() / 2));
    }

    @Test
    void aRareTypeIsFoundAmongManyOfAnother() throws SQLException {
        EventTypes rare = EventTypes.only(BigTable.RARE_TYPE);
        int events = pending() / 10_000;

        Page<DueEvent> page = laned.fetch(new FetchRequest(Instant.now(), Duration.ZERO, rare, LIMIT, null));
        assertThat(page.items()).hasSize(events);
        assertCheap(LANED, 3L * events + A_FEW, laneIndex(LANED));

        ClaimRequest.Scope scope = new ClaimRequest.Scope(rare, Duration.ZERO, true);
        ClaimedPage claimed = laned.claim(new ClaimRequest(LEASE, Instant.now(), scope, LIMIT, null));
        assertThat(claimed.events()).hasSize(events);
        assertCheap(LANED, 10L * events + A_FEW, laneIndex(LANED), primaryKey(LANED));
    }

    @Test
    void severalTypesAreReadPastTheBacklogOfAnother() throws SQLException {
        EventTypes few = new EventTypes(BigTable.OTHER_TYPES, false);
        int events = 2 * pending() / 10_000;

        Page<DueEvent> page = laned.fetch(new FetchRequest(Instant.now(), Duration.ZERO, few, LIMIT, null));
        assertThat(page.items()).hasSize(events);
        assertCheap(LANED, 5L * events + A_FEW, laneIndex(LANED), primaryKey(LANED));

        ClaimRequest.Scope scope = new ClaimRequest.Scope(few, Duration.ZERO, true);
        ClaimedPage claimed = laned.claim(new ClaimRequest(LEASE, Instant.now(), scope, LIMIT, null));
        assertThat(claimed.events()).hasSize(events);
        assertCheap(LANED, 10L * events + A_FEW, laneIndex(LANED), primaryKey(LANED));
        laned.release(
                LEASE.ownerId(),
                claimed.events().stream().map(DueEvent::eventId).toList());
        recorder.take(LANED);
    }

    @Test
    void aPageOfSeveralTypesReadsThatPageOfEach() throws SQLException {
        EventTypes both = new EventTypes(List.of(BigTable.TYPE, BigTable.RARE_TYPE), false);

        ClaimRequest.Scope scope = new ClaimRequest.Scope(both, Duration.ZERO, true);
        ClaimedPage claimed = laned.claim(new ClaimRequest(LEASE, Instant.now(), scope, LIMIT, null));

        assertThat(claimed.events()).hasSize(LIMIT);
        assertCheap(LANED, 10L * LIMIT, laneIndex(LANED), primaryKey(LANED), pendingIndex(LANED));
        laned.release(
                LEASE.ownerId(),
                claimed.events().stream().map(DueEvent::eventId).toList());
        recorder.take(LANED);
    }

    @Test
    void theTypesThatHaveEventsAreLookedUp() throws SQLException {
        DueTypes found = laned.lookByType(List.of(), LONG_AGO);
        assertThat(found.isComplete()).isTrue();
        assertThat(found.types())
                .extracting(DueType::eventType)
                .containsExactlyInAnyOrder(BigTable.TYPE, BigTable.RARE_TYPE, "Another", "Third");
        assertCheap(LANED, 2 * A_FEW, laneIndex(LANED), pendingIndex(LANED));

        assertThat(laned.lookByType(found.types(), LONG_AGO)).isEqualTo(found);
        assertThat(recorder.take(LANED)).as("nothing is new").hasSize(1);
        laned.lookByType(found.types(), LONG_AGO);
        assertCheap(LANED, 2 * A_FEW, laneIndex(LANED), pendingIndex(LANED));
    }

    @Test
    void withoutAnIndexByTypeALookTellsOfTheFirstEvents() throws SQLException {
        DueTypes found = big.lookByType(List.of(), LONG_AGO);

        assertThat(found.isComplete()).isFalse();
        assertThat(found.types()).contains(new DueType(BigTable.TYPE, OF_LATE));
        assertCheap(BIG, 2_000, pendingIndex(BIG));
    }

    @Test
    void aWalkFromATimeOnReadsNothingBeforeIt() throws SQLException {
        PageCursor place = big.placeOf(OF_LATE.plusMillis(pending() / 2));

        Page<DueEvent> page = big.fetch(FetchRequest.first(Instant.now(), LIMIT).after(place));
        assertThat(page.items()).hasSize(LIMIT).allMatch(this::isInTheSecondHalf);
        assertCheap(BIG, 3 * LIMIT, pendingIndex(BIG));

        ClaimedPage claimed =
                big.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT).after(place));
        assertThat(claimed.events()).hasSize(LIMIT).allMatch(this::isInTheSecondHalf);
        assertCheap(BIG, 10 * LIMIT, pendingIndex(BIG), primaryKey(BIG));
    }

    @Test
    void theNextDueTimeIsLookedUp() throws SQLException {
        assertThat(big.nextDueAt(Instant.now())).isEmpty();
        assertCheap(BIG, A_FEW, pendingIndex(BIG));

        assertThat(delayed.nextDueAt(Instant.now())).isPresent();
        assertCheap(DELAYED, A_FEW, pendingIndex(DELAYED));
    }

    @Test
    void theOldestDueTimeIsLookedUp() throws SQLException {
        assertThat(big.oldestDueAt(Instant.now())).isPresent();
        assertCheap(BIG, A_FEW, pendingIndex(BIG));

        assertThat(delayed.oldestDueAt(Instant.now())).contains(OF_LATE);
        assertCheap(DELAYED, A_FEW, pendingIndex(DELAYED));
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
    void pagesOfDeadEventsAreReadOneByOne() throws SQLException {
        DeadQuery query = new DeadQuery(null, null, LIMIT, null);
        Page<OutboxEvent> first = big.queryDead(query);
        assertThat(first.items()).hasSize(LIMIT);
        assertCheap(BIG, 2 * LIMIT, deadIndex(BIG));

        Page<OutboxEvent> far = first;
        for (int i = 0; i < finished() / 100 / LIMIT / 2; i++) {
            far = big.queryDead(query.after(far.next()));
        }
        recorder.take(BIG);
        assertThat(big.queryDead(query.after(far.next())).items()).hasSize(LIMIT);
        assertCheap(BIG, 2 * LIMIT, deadIndex(BIG));
    }

    @Test
    void aPageOfDeadEventsOfATypeReadsDeadEventsOnly() throws SQLException {
        assertThat(big.queryDead(new DeadQuery(BigTable.RARE_TYPE, null, 3, null))
                        .items())
                .isNotEmpty();

        assertCheap(BIG, finished() / 100 + A_FEW, deadIndex(BIG));
    }

    @Test
    void deadEventsAreReplayedById() throws SQLException {
        List<String> ids = big.queryDead(new DeadQuery(null, null, LIMIT, null)).items().stream()
                .map(OutboxEvent::eventId)
                .toList();
        recorder.take(BIG);

        assertThat(big.replayDead(ids)).isEqualTo(LIMIT);

        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));
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
        List<String> ids = big.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT)).events().stream()
                .map(DueEvent::eventId)
                .toList();
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

    @Test
    void whatIsNotKeptIsDeletedById() throws SQLException {
        List<String> ids = big.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT)).events().stream()
                .map(DueEvent::eventId)
                .toList();
        recorder.take(BIG);
        List<Outcome> outcomes = ids.stream()
                .map(id -> (Outcome) new Outcome.Done(id, Instant.now(), false))
                .toList();

        assertThat(big.apply(LEASE.ownerId(), outcomes)).hasSize(LIMIT);
        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));

        assertThat(big.apply(LEASE.ownerId(), outcomes)).as("repeated").hasSize(LIMIT);
        assertCheap(BIG, 5 * LIMIT, primaryKey(BIG));
    }

    @Test
    void aLookAtKeysReadsTheirFirstEventsAndNoneBehindABlockedOne() throws SQLException {
        List<String> keys = keys();
        assertThat(keys).hasSize(KEYED_ROWS / 100 + 1).contains(BLOCKED_KEY);

        KeyedPage page = keyed.claimKeyed(new KeyedRequest(
                LEASE,
                Instant.now(),
                Instant.EPOCH,
                LostClaims.NONE,
                EventTypes.ALL,
                keys,
                new KeyedRequest.Limit(64, Long.MAX_VALUE)));

        assertThat(page.events()).hasSize(keys.size() - 1);
        assertReads(KEYED, 5L * keys.size() + 64, keyedIndex(KEYED), primaryKey(KEYED));
        keyed.release(
                LEASE.holder(),
                page.events().stream().map(event -> event.row().eventId()).toList());
        recorder.take(KEYED);
    }

    @Test
    void aWalkOverKeysReadsWindowsHoweverDeepAKeyIs() throws SQLException {
        keyed.keyHeads("", 2 * LIMIT);

        assertReads(KEYED, 8L * LIMIT, keyedIndex(KEYED));
    }

    @Test
    void aClaimOfEventsWithoutAKeyReadsNoneThatHaveOne() throws SQLException {
        ClaimedPage claimed = keyed.claim(ClaimRequest.first(LEASE, Instant.now(), LIMIT));

        assertThat(claimed.events()).hasSize(LIMIT);
        assertCheap(KEYED, 10 * LIMIT, unkeyedIndex(KEYED), primaryKey(KEYED));
    }

    private List<String> keys() {
        List<String> keys = keyed.keyHeads("", 1_000).stream().map(KeyHead::key).toList();
        recorder.take(KEYED);
        return keys;
    }

    /** Checks as {@link #assertCheap}, for statements that may sort the little they return. */
    private void assertReads(String table, long rows, String... indexes) throws SQLException {
        Set<String> used = new TreeSet<>();
        for (Plan plan : plans(table)) {
            assertThat(plan.fullScan()).as("full scan: " + plan.text()).isFalse();
            assertThat(plan.rowsExamined()).as(plan.text()).isLessThanOrEqualTo(rows);
            assertThat(plan.indexes()).as(plan.text()).isSubsetOf(indexes);
            used.addAll(plan.indexes());
        }
        assertThat(used).contains(indexes[0]);
    }

    /** Checks that all statements since the last check use these indexes only, sort nothing and read that much. */
    private void assertCheap(String table, long rows, String... indexes) throws SQLException {
        List<Plan> plans = plans(table);
        assertThat(plans).isNotEmpty();
        Set<String> used = new TreeSet<>();
        for (Plan plan : plans) {
            assertThat(plan.fullScan()).as("full scan: " + plan.text()).isFalse();
            assertThat(plan.sort() && plan.rowsExamined() > A_FEW)
                    .as("sort: " + plan.text())
                    .isFalse();
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
