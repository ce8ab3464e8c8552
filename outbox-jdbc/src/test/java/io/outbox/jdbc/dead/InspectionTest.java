package io.outbox.jdbc.dead;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.model.AuditEntry;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureGroup;
import io.outbox.model.InspectedEvent;
import io.outbox.model.NodeLocks;
import io.outbox.model.OpenEvents;
import io.outbox.model.Tally;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.InspectionBackend.Found;
import io.outbox.spi.Page;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What operators see of an outbox table. */
class InspectionTest {

    private static final Instant TIME = Instant.parse("2025-06-01T12:00:00Z");

    private static InspectionBackend inspection(HikariDataSource pool) {
        return JdbcOutbox.of(pool)
                .store()
                .housekeeping(new DataSourceConnectionProvider(pool), (conn, before, limit) -> 0)
                .inspection()
                .orElseThrow();
    }

    private static EventFilter filter(EventStatus status, String type, String aggregateId, String error) {
        return new EventFilter(
                status == null ? Set.of() : Set.of(status),
                new EventFilter.Scope(type, null, aggregateId, null),
                null,
                null,
                new EventFilter.Failure(error, null));
    }

    private static List<String> all(InspectionBackend inspection, EventFilter filter, int limit) {
        List<String> ids = new ArrayList<>();
        String after = null;
        do {
            Found found = inspection.search(filter, after, limit);
            found.events().forEach(event -> ids.add(event.event().eventId()));
            after = found.next();
        } while (after != null);
        return ids;
    }

    @ParameterizedTest
    @EnumSource
    void searchesCountsAndActs(TestDatabase database) throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 4);
                Connection conn = pool.getConnection()) {
            AbstractJdbcOutboxStore store = JdbcOutbox.of(pool).createSchema().store();
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                EventEnvelope event = EventEnvelope.builder(i % 2 == 0 ? "Even" : "Odd")
                        .aggregateId("a-" + i)
                        .occurredAt(TIME.plusSeconds(i))
                        .payloadJson("{}")
                        .build();
                store.insertNew(conn, event);
                ids.add(0, event.eventId());
            }
            store.markDone(conn, ids.get(0));
            store.markRetry(conn, ids.get(1), TIME, "50% Of_it!");
            store.markDead(conn, ids.get(2), "gone");
            store.claimPending(conn, "node-1", Instant.now(), TIME, Duration.ZERO, 2);
            InspectionBackend inspection = inspection(pool);

            assertThat(all(inspection, EventFilter.ALL, 5)).isEqualTo(ids);
            assertThat(all(inspection, filter(null, "Odd", null, null), 2)).hasSize(6);
            assertThat(all(inspection, filter(EventStatus.NEW, null, null, null), 4))
                    .hasSize(9);
            assertThat(all(inspection, filter(EventStatus.RETRY, null, null, null), 4))
                    .containsExactly(ids.get(1));
            assertThat(all(inspection, filter(EventStatus.DEAD, "Odd", null, null), 4))
                    .containsExactly(ids.get(2));
            assertThat(all(inspection, filter(null, null, "a-7", null), 4)).containsExactly(ids.get(4));
            assertThat(all(inspection, filter(null, null, null, "50% of_"), 4)).containsExactly(ids.get(1));
            assertThat(all(inspection, filter(null, null, null, "5__"), 4)).isEmpty();
            assertThat(all(
                            inspection,
                            new EventFilter(
                                    Set.of(),
                                    EventFilter.Scope.ALL,
                                    TIME.plusSeconds(3),
                                    TIME.plusSeconds(5),
                                    EventFilter.Failure.ANY),
                            4))
                    .containsExactly(ids.get(7), ids.get(8));
            assertThat(inspection.countByState())
                    .containsEntry(EventStatus.NEW, 9)
                    .containsEntry(EventStatus.DEAD, 1)
                    .containsEntry(EventStatus.DONE, 1)
                    .containsEntry(EventStatus.RETRY, 1);
            assertThat(inspection.open(TIME.plusSeconds(3)).exact()).isTrue();
            assertThat(inspection.open(TIME.plusSeconds(3)).types())
                    .containsExactly(
                            new OpenEvents("Even", 4, 2, 3, TIME), new OpenEvents("Odd", 4, 0, 2, TIME.plusSeconds(1)));
            assertThat(inspection.nodes()).hasSize(1);
            assertThat(inspection.nodes().get(0).events()).isEqualTo(2);
            InspectedEvent locked = inspection.find(ids.get(1)).orElseThrow();
            assertThat(locked.event().payloadJson()).isEqualTo("{}");
            store.markDead(conn, ids.get(5), null);
            store.markDead(conn, ids.get(3), "gone, too");
            assertThat(inspection.release(ids)).isEqualTo(8);
            assertThat(inspection.nodes()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void keepsWhatOperatorsDo(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            InspectionBackend inspection = inspection(pool);
            inspection.prepareAudit();
            inspection.prepareAudit();
            List<AuditEntry> entries = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                AuditEntry entry = new AuditEntry("id-" + i, TIME, "ann", "replay", "e-" + i, i == 0 ? null : "détail");
                inspection.audit(entry);
                entries.add(entry);
            }
            Collections.reverse(entries);

            assertThat(inspection.audits(null, 3)).isEqualTo(entries.subList(0, 3));
            assertThat(inspection.audits("id-2", 3)).isEqualTo(entries.subList(3, 5));
        }
    }

    @Test
    void openEventsAreAllCountedIfBothEndsWouldMeet() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at)
                    SELECT LPAD(x, 10, '0'), 'Type', '{}', 0, 0, TIMESTAMP '2025-06-01 12:00:00', NOW()
                    FROM SYSTEM_RANGE(1, 21000)""");

            InspectionBackend.Open open = inspection(pool).open(TIME);

            assertThat(open.exact()).isTrue();
            assertThat(open.types()).containsExactly(new OpenEvents("Type", 21_000, 0, 21_000, TIME));
        }
    }

    /** Those that are due first and last are looked at, where claimed and new events are. */
    @Test
    void openEventsAreLookedAtFromBothEnds() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      locked_by, locked_at)
                    SELECT LPAD(x, 10, '0'), CASE x WHEN 1 THEN 'First' WHEN 30000 THEN 'Middle' WHEN 60000 THEN 'Last' ELSE 'Any' END,
                      '{}', 0, 0, DATEADD(SECOND, x, TIMESTAMP '2025-06-01 12:00:00'), NOW(),
                      CASE x WHEN 1 THEN 'node-1' WHEN 60000 THEN 'node-2' END, NOW()
                    FROM SYSTEM_RANGE(1, 60000)""");
            InspectionBackend inspection = inspection(pool);

            InspectionBackend.Open open = inspection.open(TIME.plusSeconds(10));

            assertThat(open.exact()).isFalse();
            assertThat(open.types())
                    .containsExactly(
                            new OpenEvents("Any", 19_998, 0, 9, TIME.plusSeconds(2)),
                            new OpenEvents("First", 0, 1, 1, TIME.plusSeconds(1)),
                            new OpenEvents("Last", 0, 1, 0, null));
            assertThat(inspection.nodes()).extracting(NodeLocks::node).containsExactly("node-1", "node-2");
        }
    }

    /** A window that is full of what does not match is passed over, and the search goes on behind it. */
    @Test
    void aSearchLooksAtSoManyEventsAndGoesOnFromThere() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at)
                    SELECT LPAD(x, 10, '0'), CASE WHEN x = 5 THEN 'Rare' ELSE 'Common' END, '{}', 1, 0, NOW(), NOW()
                    FROM SYSTEM_RANGE(1, 45000)""");
            InspectionBackend inspection = inspection(pool);

            Found first = inspection.search(filter(null, "Rare", null, null), null, 10);

            assertThat(first.events()).isEmpty();
            assertThat(first.next()).isEqualTo("0000025001");
            assertThat(all(inspection, filter(null, "Rare", null, null), 10)).containsExactly("0000000005");
        }
    }

    @Test
    void countingDeadEventsLooksAtSoManyOnly() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      last_error)
                    SELECT LPAD(x, 10, '0'), 'Type', '{}', 3, 0, NOW(), NOW(), CASE WHEN x < 10 THEN 'rare' ELSE 'boom' END
                    FROM SYSTEM_RANGE(1, 19999)""");
            DeadEventBackend dead = JdbcOutbox.of(pool).backend().deadEvents().orElseThrow();
            DeadLetterFilter rare = new DeadLetterFilter(null, filter(null, null, null, "RARE"));

            assertThat(dead.count(rare)).isEqualTo(new Tally(9, true));
            assertThat(dead.count(DeadLetterFilter.of(DlqStatus.RESOLVED, null, null)))
                    .isEqualTo(new Tally(0, true));
            assertThat(dead.count(DeadLetterFilter.of(null, null, null))).isEqualTo(new Tally(19_999, true));

            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at)
                    VALUES ('x', 'Type', '{}', 3, 0, NOW(), NOW())""");
            assertThat(dead.count(rare)).isEqualTo(new Tally(9, false));
            assertThat(dead.countByState(100)).containsEntry(DlqStatus.MOVED, 100L);
        }
    }

    /** What no index finds is looked for in a window, and then behind it, among DEAD events as among letters. */
    @Test
    void aSearchLooksAtSoManyDeadEventsAndGoesOnFromThere() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      last_error)
                    SELECT LPAD(x, 10, '0'), 'Type', '{}', 3, 0, NOW(),
                      DATEADD(SECOND, x, TIMESTAMP '2025-06-01 12:00:00'),
                      CASE WHEN x IN (7, 30000) THEN 'rare' ELSE 'boom' END
                    FROM SYSTEM_RANGE(1, 45000)""");
            DeadEventBackend dead = JdbcOutbox.of(pool).backend().deadEvents().orElseThrow();
            DeadLetterQuery query =
                    DeadLetterQuery.matching(new DeadLetterFilter(null, filter(null, null, null, "rare")), 10);
            DeadLetterQuery alike = DeadLetterQuery.matching(
                    DeadLetterFilter.of(
                            null,
                            null,
                            dead.find(List.of("0000000007")).get(0).failure().fingerprint()),
                    10);

            Page<DeadLetter> first = dead.query(query);
            Page<DeadLetter> second = dead.query(query.after(first.next()));
            Page<DeadLetter> ofKind = dead.query(alike);

            assertThat(first.items()).extracting(DeadLetter::eventId).containsExactly("0000000007");
            assertThat(dead.encode(first.next())).endsWith("~0000020000");
            assertThat(second.items()).extracting(DeadLetter::eventId).containsExactly("0000030000");
            assertThat(ofKind.items()).extracting(DeadLetter::eventId).containsExactly("0000000007");
            assertThat(dead.encode(ofKind.next())).endsWith("~0000001000");
            assertThat(dead.count(alike.filter())).isEqualTo(new Tally(1, false));
            assertThat(dead.count(DeadLetterFilter.of(null, null, null)))
                    .isEqualTo(new Tally(InspectionBackend.MOST_COUNTED, false));
        }
    }

    /** What no index finds is looked for in a window, and then behind it; counting does not go on. */
    @Test
    void aSearchLooksAtSoManyLettersAndGoesOnFromThere() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            DeadLetterBackend letters = letters(pool);
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      last_error, fingerprint, moved_at, updated_at)
                    SELECT LPAD(x, 10, '0'), 'Type', '{}', CASE WHEN x = 7 THEN 3 ELSE 0 END, 0, NOW(),
                      DATEADD(SECOND, x, TIMESTAMP '2025-06-01 12:00:00'),
                      CASE WHEN x IN (7, 30000) THEN 'rare' ELSE 'boom' END, 'f', NOW(), NOW()
                    FROM SYSTEM_RANGE(1, 45000)""");
            DeadLetterFilter rare = new DeadLetterFilter(null, filter(null, null, null, "rare"));
            DeadLetterQuery query = DeadLetterQuery.matching(rare, 10);

            Page<DeadLetter> first = letters.query(query);
            Page<DeadLetter> second = letters.query(query.after(first.next()));
            Page<DeadLetter> third = letters.query(query.after(second.next()));
            Page<DeadLetter> ofOneState =
                    letters.query(DeadLetterQuery.matching(new DeadLetterFilter(DlqStatus.MOVED, rare.events()), 10));

            assertThat(first.items()).extracting(DeadLetter::eventId).containsExactly("0000000007");
            assertThat(letters.encode(first.next())).endsWith("~0000010001");
            assertThat(second.items()).isEmpty();
            assertThat(letters.encode(second.next())).endsWith("~0000020001");
            assertThat(third.items()).extracting(DeadLetter::eventId).containsExactly("0000030000");
            assertThat(letters.query(query.after(third.next())).items()).isEmpty();
            assertThat(ofOneState.items()).isEmpty();
            assertThat(letters.encode(ofOneState.next())).endsWith("~0000020001");
            assertThat(letters.count(rare)).isEqualTo(new Tally(1, false));
            assertThat(letters.count(DeadLetterFilter.of(DlqStatus.MOVED, "Type", "f")))
                    .isEqualTo(new Tally(InspectionBackend.MOST_COUNTED, false));
            assertThat(letters.count(DeadLetterFilter.of(DlqStatus.RESOLVED, "Type", "f")))
                    .isEqualTo(new Tally(1, true));
        }
    }

    /** So many groups that more than one statement asks for them, one of them without a type, and one that is large. */
    @ParameterizedTest
    @EnumSource
    void allGroupsOfFailuresAreFoundAndTheLargestReturned(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 4)) {
            DeadLetterBackend letters = letters(pool);
            List<String> rows = new ArrayList<>();
            List<FailureGroup> expected = new ArrayList<>();
            for (int group = 0; group < 249; group++) {
                int count = group == 42 ? 300 : 1 + group % 3;
                addLetters(rows, group, count);
                expected.add(new FailureGroup(
                        group == 7 ? null : "Type" + group % 5,
                        "f" + group,
                        Math.min(count, 200),
                        count < 200,
                        TIME.plusSeconds(1),
                        TIME.plusSeconds(100 + count),
                        "error of " + group,
                        0L));
            }
            OutboxRows.execute(
                    pool,
                    "INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,"
                            + " last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at) VALUES "
                            + String.join(", ", rows));

            assertThat(letters.groups(1_000)).containsExactlyInAnyOrderElementsOf(expected);
            assertThat(letters.groups(3)).extracting(FailureGroup::count).containsExactly(200L, 3L, 3L);
            assertThat(letters.groups(1)).extracting(FailureGroup::fingerprint).containsExactly("f42");
        }
    }

    private static void addLetters(List<String> rows, int group, int count) {
        String time = "TIMESTAMP '2025-06-01 12:0%d:%02d'";
        String type = group == 7 ? "NULL" : "'Type" + group % 5 + "'";
        for (int i = 1; i <= count; i++) {
            String first = time.formatted(i / 60, i % 60);
            String last = time.formatted((100 + i) / 60, (100 + i) % 60);
            rows.add("('%d-%d', %s, '{}', 0, 1, %s, %s, 'error of %d', 'f%d', %s, %s, %s, %s)"
                    .formatted(group, i, type, first, first, group, group, first, last, first, first));
        }
    }

    @Test
    void lettersAreCountedUpToALimit() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 4)) {
            DeadLetterBackend letters = letters(pool);
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      fingerprint, moved_at, updated_at)
                    SELECT LPAD(x, 10, '0'), 'Type', '{}', 0, 0, NOW(), NOW(), 'f', NOW(), NOW()
                    FROM SYSTEM_RANGE(1, 100005)""");

            assertThat(letters.count(DeadLetterFilter.of(DlqStatus.MOVED, "Type", "f")))
                    .isEqualTo(new Tally(InspectionBackend.MOST_COUNTED, false));
        }
    }

    private static DeadLetterBackend letters(HikariDataSource pool) {
        return DeadLetterStore.of(
                        JdbcOutbox.of(pool).withDeadLetters().createSchema().store())
                .housekeeping(new DataSourceConnectionProvider(pool), (conn, before, limit) -> 0)
                .deadEvents()
                .flatMap(DeadEventBackend::queue)
                .orElseThrow();
    }

    /** Pages, searches and counts of a million events take less than 100 ms each. */
    @Test
    @Tag("soak")
    void aMillionEventsAreSearchedInTime() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4)) {
            JdbcOutbox.of(pool).createSchema();
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_event (event_id, event_type, aggregate_id, tenant_id, payload, status, attempts,
                      available_at, created_at, done_at, last_error)
                    SELECT LPAD(n::text, 26, '0'), 'Type' || (n % 20), 'a-' || (n % 100000), 'tenant', REPEAT('x', 300),
                      CASE WHEN n % 1000 = 0 THEN 3 WHEN n % 500 = 1 THEN 0 ELSE 1 END, 0,
                      now() - n * interval '1 ms', now() - n * interval '1 ms',
                      CASE WHEN n % 1000 = 0 OR n % 500 = 1 THEN NULL ELSE now() END,
                      CASE WHEN n % 1000 = 0 THEN 'boom ' || n END
                    FROM generate_series(1, 1000000) n""", "VACUUM ANALYZE outbox_event");
            InspectionBackend inspection = inspection(pool);

            measure("first page", () -> inspection.search(EventFilter.ALL, null, 50));
            measure("page in the middle", () -> inspection.search(EventFilter.ALL, "00000000000000000000500000", 50));
            measure("dead", () -> inspection.search(filter(EventStatus.DEAD, null, null, null), null, 50));
            measure("new", () -> inspection.search(filter(EventStatus.NEW, null, null, null), null, 50));
            measure("by type", () -> inspection.search(filter(null, "Type7", null, null), null, 50));
            measure("a window without a match", () -> inspection.search(filter(null, "None", null, null), null, 50));
            measure("by error", () -> inspection.search(filter(EventStatus.DEAD, null, null, "boom 500"), null, 50));
            measure("one event", () -> inspection.find("00000000000000000000500000"));
            measure("counts", inspection::countByState);
            measure("nodes", inspection::nodes);
        }
    }

    /** Pages, groups and counts that stop somewhere take less than 100 ms each with a million dead letters. */
    @Test
    @Tag("soak")
    void aMillionDeadLettersAreReadInTime() {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 4)) {
            DeadLetterBackend letters = letters(pool);
            OutboxRows.execute(pool, """
                    INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at)
                    SELECT LPAD(n::text, 26, '0'), 'Type' || (n % 20), REPEAT('x', 300), CASE WHEN n % 4 = 0 THEN 3 ELSE 0 END,
                      3, now(), now() - n * interval '1 ms', 'boom', LPAD((n % 50)::text, 16, '0'), now(), now(), now(), now()
                    FROM generate_series(1, 1000000) n""", "VACUUM ANALYZE outbox_dlq_event");

            DeadLetterQuery first = DeadLetterQuery.of(DlqStatus.MOVED, 50);
            measure("letters, first page", () -> letters.query(first));
            measure(
                    "letters, next page",
                    () -> letters.query(first.after(letters.query(first).next())));
            measure("letters of all states", () -> letters.query(DeadLetterQuery.of(null, 50)));
            measure("letters, batch 100", () -> letters.list(DlqStatus.MOVED, 5000, 50));
            measure(
                    "letters of a type",
                    () -> letters.query(DeadLetterQuery.matching(DeadLetterFilter.of(null, "Type7", null), 50)));
            measure(
                    "letters of a group",
                    () -> letters.query(DeadLetterQuery.matching(
                            DeadLetterFilter.of(DlqStatus.MOVED, "Type7", "0000000000000007"), 50)));
            DeadLetterFilter none = new DeadLetterFilter(null, filter(null, null, null, "none"));
            measure("letters, a window without a match", () -> letters.query(DeadLetterQuery.matching(none, 50)));
            measure("letters, count of a window", () -> letters.count(none));
            measure("letters, bounded count", () -> letters.count(DeadLetterFilter.of(DlqStatus.MOVED, null, null)));
            measure("letters of all states, batch 100", () -> letters.list(null, 5000, 50));
            measure("letters, count of a type", () -> letters.count(null, "Type7"));
            measure("letters, counts by state", () -> letters.countByState(InspectionBackend.MOST_COUNTED));
            measure("letters, groups", () -> letters.groups(50));
        }
    }

    /** Takes the best of some runs: what others do on the machine is not the point. */
    private static void measure(String what, Supplier<?> call) {
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 7; i++) {
            long begin = System.nanoTime();
            call.get();
            best = Math.min(best, System.nanoTime() - begin);
        }
        System.out.println("inspection: " + what + " " + best / 1000 + " µs");
        assertThat(best).as(what).isLessThan(100_000_000);
    }
}
