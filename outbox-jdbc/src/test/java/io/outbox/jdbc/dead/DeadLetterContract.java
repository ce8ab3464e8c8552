package io.outbox.jdbc.dead;

import static io.outbox.jdbc.dead.DeadLetterFixture.failed;
import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.dead.DeadEventManager;
import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventFilter;
import io.outbox.spi.EventFilter.Scope;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.testservers.support.Intercepted;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What holds for dead letters in every database. */
abstract class DeadLetterContract {

    private static final String OWNER = "node-1";

    private final String url;
    private DeadLetterFixture fixture;

    DeadLetterContract(String url) {
        this.url = url;
    }

    @BeforeEach
    void open() {
        fixture = new DeadLetterFixture(url);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private DeadLetter letter(String id) {
        return fixture.letters().find(List.of(id)).get(0);
    }

    // Death

    @Test
    void anEventMovesWithTheOutcomeThatLetsItDie() {
        String id = fixture.write(1, OWNER).get(0);

        Map<String, EventStatus> standing = fixture.apply(OWNER, List.of(failed(id, 0, 1, "IllegalState: no")));

        assertThat(standing).isEqualTo(Map.of(id, EventStatus.DEAD));
        assertThat(fixture.outboxIds()).isEmpty();
        DeadLetter letter = letter(id);
        assertThat(letter.event())
                .isEqualTo(new OutboxEvent(
                        id,
                        DeadLetterFixture.TYPE,
                        "Order",
                        "order-1",
                        "acme",
                        "{\"n\":0}",
                        "{\"trace\":\"abc\"}",
                        1,
                        DeadLetterFixture.OCCURRED,
                        DeadLetterFixture.RETRY_AT));
        assertThat(letter.status()).isEqualTo(DlqStatus.MOVED);
        assertThat(letter.failure().error()).isEqualTo("IllegalState: no");
        assertThat(letter.state().updatedBy()).isNull();
        assertThat(letter.state().updatedAt())
                .isBetween(letter.state().movedAt(), letter.state().movedAt().plusSeconds(60));
        assertThat(Duration.between(letter.state().movedAt(), Instant.now()).abs())
                .isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void everyFailedAttemptIsKept() {
        String id = fixture.write(1, OWNER).get(0);

        fixture.apply(OWNER, List.of(failed(id, 0, 3, "first")));
        fixture.apply(null, List.of(failed(id, 1, 3, "second")));
        assertThat(fixture.letterIds()).isEmpty();
        fixture.apply(null, List.of(new Outcome.Dead(id, "third")));

        List<FailedAttempt> attempts = fixture.letters().attempts(id);
        assertThat(attempts).extracting(FailedAttempt::error).containsExactly("first", "second", "third");
        assertThat(attempts).extracting(FailedAttempt::attempt).containsExactly(1, 2, 3);
        assertThat(attempts).extracting(FailedAttempt::node).containsExactly(OWNER, null, null);
        assertThat(letter(id).failure().firstAt()).isEqualTo(attempts.get(0).at());
        assertThat(letter(id).failure().lastAt()).isEqualTo(attempts.get(2).at());
    }

    @Test
    void aBatchThatIsWrittenAgainStandsAsItWasAndCountsNothingTwice() {
        List<String> ids = fixture.write(60, OWNER);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            String id = ids.get(i);
            outcomes.add(
                    switch (i % 5) {
                        case 0 -> new Outcome.Done(id, DeadLetterFixture.RETRY_AT);
                        case 1 -> new Outcome.Done(id, DeadLetterFixture.RETRY_AT, false);
                        case 2 -> failed(id, 0, 1, "gone " + i);
                        case 3 -> failed(id, 0, 5, "later " + i);
                        default -> new Outcome.Dead(id, i % 2 == 0 ? null : "hopeless");
                    });
        }

        Map<String, EventStatus> first = fixture.apply(OWNER, outcomes);
        Map<String, EventStatus> again = fixture.apply(OWNER, outcomes);
        Collections.reverse(outcomes);
        Map<String, EventStatus> singly = new HashMap<>();
        outcomes.forEach(outcome -> singly.putAll(fixture.apply(OWNER, List.of(outcome))));

        assertThat(first).hasSize(60);
        assertThat(again).isEqualTo(first);
        assertThat(singly).isEqualTo(first);
        assertThat(fixture.letterIds()).hasSize(24);
        assertThat(fixture.number("SELECT COUNT(*) FROM outbox_dlq_event_attempt"))
                .isEqualTo(36);
    }

    @Test
    void aLateDoneThatIsNotKeptDoesNotCountForAnEventThatHasDied() {
        List<String> ids = fixture.write(2, OWNER);
        fixture.kill(ids.subList(0, 1), "boom");

        Map<String, EventStatus> standing = fixture.apply(
                OWNER,
                List.of(
                        new Outcome.Done(ids.get(0), DeadLetterFixture.RETRY_AT, false),
                        new Outcome.Done(ids.get(1), DeadLetterFixture.RETRY_AT, false)));

        assertThat(standing).isEqualTo(Map.of(ids.get(1), EventStatus.DONE));
        assertThat(fixture.letterIds()).containsExactly(ids.get(0));
    }

    @Test
    void anOutcomeOfAFormerOwnerLeavesNoTrace() {
        String id = fixture.write(1, "another").get(0);

        assertThat(fixture.apply(OWNER, List.of(failed(id, 0, 1, "late")))).isEmpty();

        assertThat(fixture.outboxIds()).containsExactly(id);
        assertThat(fixture.letters().attempts(id)).isEmpty();
    }

    @Test
    void anEventWrittenAgainUnderTheIdOfALetterTakesItsPlace() {
        String id = fixture.writeDead(1).get(0);
        fixture.with(conn -> {
            fixture.store()
                    .insertNew(
                            conn,
                            EventEnvelope.builder(DeadLetterFixture.TYPE)
                                    .eventId(id)
                                    .payloadJson("{\"n\":\"new\"}")
                                    .build());
            return null;
        });

        fixture.kill(List.of(id), "boom again");

        assertThat(fixture.outboxIds()).isEmpty();
        assertThat(letter(id).event().payloadJson()).isEqualTo("{\"n\":\"new\"}");
    }

    @Test
    void aStepThatFailsLeavesBothTablesAsTheyWere() {
        List<String> ids = fixture.write(3, null);
        for (String step : List.of(
                "INSERT INTO outbox_dlq_event_attempt", "INSERT INTO outbox_dlq_event ", "status > 2", "commit")) {
            DataSource failing = failingAt(step);

            assertThatThrownBy(() -> applyOn(
                            failing,
                            ids.stream().map(id -> failed(id, 0, 1, "boom")).toList()))
                    .as(step)
                    .isInstanceOf(OutboxStoreException.class);

            assertThat(fixture.outboxIds()).as(step).containsExactlyElementsOf(new TreeSet<>(ids));
            assertThat(fixture.letterIds()).as(step).isEmpty();
            assertThat(fixture.number("SELECT COUNT(*) FROM outbox_dlq_event_attempt"))
                    .isZero();
            assertThat(fixture.number("SELECT COUNT(*) FROM outbox_event WHERE status = 0 AND attempts = 0"))
                    .isEqualTo(3);
        }
    }

    private void applyOn(DataSource dataSource, List<Outcome> outcomes) {
        try (var conn = dataSource.getConnection()) {
            delivery(fixture.store(), conn).apply(null, outcomes);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private DataSource failingAt(String step) {
        return Intercepted.dataSource(fixture.pool(), call -> {
            boolean isStep = step.equals("commit")
                    ? call.name().equals("commit")
                    : call.sql() != null
                            && call.name().startsWith("execute")
                            && call.sql().contains(step);
            if (isStep) {
                throw new SQLException("refused by the test", "08006");
            }
            return call.proceed();
        });
    }

    // Transfers

    @Test
    void thoseOfSomeEventsThatAreDeadInTheOutboxAreMoved() {
        List<String> ids = fixture.write(3, null);
        fixture.killInPlace(ids.subList(0, 2));

        assertThat(fixture.letters().moveDead(List.of(ids.get(0), ids.get(2), "none")))
                .extracting(OutboxEvent::eventId)
                .containsExactly(ids.get(0));

        assertThat(fixture.letterIds()).containsExactly(ids.get(0));
        assertThat(fixture.outboxIds()).containsExactlyInAnyOrder(ids.get(1), ids.get(2));
        assertThat(letter(ids.get(0)).failure().error()).isEqualTo("boom");
    }

    @Test
    void deadEventsThatAreStillInTheOutboxAreMovedInBatches() {
        List<String> ids = fixture.write(5, null);
        fixture.killInPlace(ids.subList(0, 3));
        assertThat(fixture.letterIds()).isEmpty();

        List<OutboxEvent> first = fixture.letters().moveDead(2, tried -> {});
        List<OutboxEvent> second = fixture.letters().moveDead(2, tried -> {});

        assertThat(Stream.concat(first.stream(), second.stream()).map(OutboxEvent::eventId))
                .containsExactlyElementsOf(ids.subList(0, 3));
        assertThat(first).hasSize(2);
        assertThat(fixture.letters().moveDead(2, tried -> {})).isEmpty();
        assertThat(fixture.letterIds()).containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));
        assertThat(letter(ids.get(0)).failure().error()).isEqualTo("boom");
        assertThat(letter(ids.get(0)).failure().firstAt()).isNotNull();
    }

    @Test
    void aReturnedEventIsNewAgainAndItsHistoryStays() {
        String id = fixture.write(1, null).get(0);
        fixture.apply(null, List.of(failed(id, 0, 1, "boom")));

        DeadLetterChange change = fixture.letters().returnToOutbox(List.of(id));

        assertThat(change.isMade()).isTrue();
        assertThat(change.changed()).extracting(DeadLetter::eventId).containsExactly(id);
        assertThat(fixture.letterIds()).isEmpty();
        List<DueEvent> due = fixture.with(conn -> delivery(fixture.store(), conn)
                .fetch(FetchRequest.first(Instant.now().plusSeconds(60), 10))
                .items());
        assertThat(due).hasSize(1);
        OutboxEvent event = due.get(0).event();
        assertThat(event.eventId()).isEqualTo(id);
        assertThat(event.attempts()).isZero();
        assertThat(event.createdAt()).isEqualTo(DeadLetterFixture.OCCURRED);
        assertThat(event.payloadJson()).isEqualTo("{\"n\":0}");
        assertThat(event.headersJson()).isEqualTo("{\"trace\":\"abc\"}");
        assertThat(due.get(0).lastError()).isNull();

        fixture.apply(null, List.of(failed(id, 0, 1, "boom again")));
        assertThat(fixture.letters().attempts(id))
                .extracting(FailedAttempt::error)
                .containsExactly("boom", "boom again");
        assertThat(letter(id).failure().firstAt())
                .isEqualTo(fixture.letters().attempts(id).get(0).at());
    }

    @Test
    void approvedLettersReturnInBatches() {
        List<String> ids = fixture.writeDead(4);
        fixture.letters().change(ids.subList(0, 3), DlqStatus.TO_RETRY, "ann");
        assertThat(letter(ids.get(0)).state().updatedBy()).isEqualTo("ann");

        assertThat(fixture.letters().returnApproved(2, tried -> {})).hasSize(2);
        assertThat(fixture.letters().returnApproved(2, tried -> {})).hasSize(1);
        assertThat(fixture.letters().returnApproved(2, tried -> {})).isEmpty();

        assertThat(fixture.outboxIds()).containsExactlyInAnyOrderElementsOf(ids.subList(0, 3));
        assertThat(fixture.letterIds()).containsExactly(ids.get(3));
    }

    @Test
    void aLetterWhoseIdIsTakenStaysAndHoldsUpNoOther() {
        List<String> ids = fixture.writeDead(2);
        fixture.with(conn -> {
            fixture.store()
                    .insertNew(
                            conn,
                            EventEnvelope.builder(DeadLetterFixture.TYPE)
                                    .eventId(ids.get(0))
                                    .payloadJson("{}")
                                    .build());
            return null;
        });
        assertThatThrownBy(() -> fixture.letters().returnToOutbox(ids)).isInstanceOf(DuplicateEventException.class);
        assertThat(fixture.letterIds()).containsExactlyInAnyOrderElementsOf(ids);

        DeadEventManager manager =
                new DeadEventManager(new DataSourceConnectionProvider(fixture.pool()), fixture.store());
        assertThat(manager.replay(ids.get(0))).isFalse();
        fixture.letters().change(ids, DlqStatus.TO_RETRY, null);
        assertThat(fixture.letters().returnApproved(10, tried -> {}))
                .extracting(DeadLetter::eventId)
                .containsExactly(ids.get(1));
        assertThat(letter(ids.get(0)).status()).isEqualTo(DlqStatus.TO_RETRY);
    }

    @Test
    void aReturnThatFailsLeavesBothTablesAsTheyWere() {
        List<String> ids = fixture.writeDead(2);
        for (String step : List.of("INSERT INTO outbox_event", "DELETE FROM outbox_dlq_event", "commit")) {
            assertThatThrownBy(() -> fixture.letters(failingAt(step)).returnToOutbox(ids))
                    .as(step)
                    .isInstanceOf(RuntimeException.class);

            assertThat(fixture.outboxIds()).as(step).isEmpty();
            assertThat(fixture.letterIds()).as(step).containsExactlyElementsOf(new TreeSet<>(ids));
        }
    }

    /** Nodes that move both ways, and operators, all at the same time: no event is lost, and none is there twice. */
    @Test
    void anEventIsInExactlyOneTableWhateverAllNodesDo() throws Exception {
        long seed = System.nanoTime();
        List<String> ids = fixture.write(60, null);
        Set<String> all = new TreeSet<>(ids);
        ExecutorService nodes = Executors.newFixedThreadPool(6);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int node = 0; node < 6; node++) {
                Random random = new Random(seed + node);
                DeadLetterBackend letters = fixture.letters();
                Callable<Void> work = () -> {
                    for (int i = 0; i < 25; i++) {
                        List<String> some = ids.stream()
                                .filter(id -> random.nextInt(6) == 0)
                                .toList();
                        switch (random.nextInt(6)) {
                            case 0 -> fixture.kill(some, "boom");
                            case 1 -> fixture.killInPlace(some);
                            case 2 -> letters.moveDead(10, tried -> {});
                            case 3 -> some.forEach(id -> letters.change(List.of(id), DlqStatus.TO_RETRY, "ann"));
                            case 4 -> letters.returnApproved(10, tried -> {});
                            default ->
                                letters.returnToOutbox(some.stream().limit(1).toList());
                        }
                    }
                    return null;
                };
                running.add(nodes.submit(work));
            }
            for (Future<?> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
        } finally {
            nodes.shutdownNow();
        }
        List<String> found = new ArrayList<>(fixture.outboxIds());
        found.addAll(fixture.letterIds());
        assertThat(found).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(all);
    }

    // Operators

    @Test
    void lettersAreChangedAllOrNone() {
        List<String> ids = fixture.writeDead(3);
        fixture.letters().change(ids.subList(2, 3), DlqStatus.RESOLVED, "ann");

        DeadLetterChange missing = fixture.letters().change(List.of(ids.get(0), "unknown"), DlqStatus.RESOLVED, "bob");
        DeadLetterChange refused = fixture.letters().change(ids, DlqStatus.TO_RETRY, "bob");

        assertThat(missing.isMade()).isFalse();
        assertThat(missing.missing()).containsExactly("unknown");
        assertThat(refused.refused()).isEqualTo(Map.of(ids.get(2), DlqStatus.RESOLVED));
        assertThat(fixture.letters().find(ids))
                .extracting(DeadLetter::status)
                .containsExactly(DlqStatus.MOVED, DlqStatus.MOVED, DlqStatus.RESOLVED);
        assertThat(letter(ids.get(2)).state().updatedBy()).isEqualTo("ann");
    }

    @Test
    void askingForTheStateThatALetterHasChangesNothing() {
        String id = fixture.writeDead(1).get(0);
        fixture.letters().change(List.of(id), DlqStatus.RESOLVED, "ann");
        DeadLetter before = letter(id);

        DeadLetterChange again = fixture.letters().change(List.of(id), DlqStatus.RESOLVED, "bob");

        assertThat(again.isMade()).isTrue();
        assertThat(again.changed()).isEmpty();

        assertThat(letter(id)).isEqualTo(before);
    }

    @Test
    void nobodySetsMovedOrInProcess() {
        List<String> ids = fixture.writeDead(1);

        for (DlqStatus status : List.of(DlqStatus.MOVED, DlqStatus.IN_PROCESS)) {
            assertThatThrownBy(() -> fixture.letters().change(ids, status, "ann"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(status.name());
        }
    }

    @Test
    void aLetterInProcessIsLeftAlone() {
        List<String> ids = fixture.writeDead(1);
        OutboxRows.execute(fixture.pool(), "UPDATE outbox_dlq_event SET status = 1");

        assertThat(fixture.letters().change(ids, DlqStatus.RESOLVED, null).refused())
                .isEqualTo(Map.of(ids.get(0), DlqStatus.IN_PROCESS));
        assertThat(fixture.letters().delete(ids).refused()).isEqualTo(Map.of(ids.get(0), DlqStatus.IN_PROCESS));
        assertThat(fixture.letterIds()).isEqualTo(ids);
    }

    @Test
    void deletedLettersLeaveNothing() {
        List<String> ids = fixture.writeDead(2);

        assertThat(fixture.letters().delete(List.of(ids.get(0), "unknown")).missing())
                .containsExactly("unknown");
        assertThat(fixture.letterIds()).hasSize(2);
        assertThat(fixture.letters().delete(ids.subList(0, 1)).isMade()).isTrue();

        assertThat(fixture.letterIds()).containsExactly(ids.get(1));
        assertThat(fixture.letters().attempts(ids.get(0))).isEmpty();
        assertThat(fixture.letters().attempts(ids.get(1))).hasSize(1);
    }

    @Test
    void aReplacementIsWrittenAndTheOriginalStays() {
        String id = fixture.writeDead(1).get(0);
        var replacement = DeadLetterFixture.event("{\"n\":\"mended\"}", Instant.now());

        assertThat(fixture.letters().replace(id, replacement, "ann").isMade()).isTrue();

        assertThat(fixture.outboxIds()).containsExactly(replacement.eventId());
        assertThat(letter(id).status()).isEqualTo(DlqStatus.RESOLVED);
        assertThat(letter(id).event().payloadJson()).isEqualTo("{\"n\":0}");
        assertThat(fixture.letters()
                        .replace(id, DeadLetterFixture.event("{}", Instant.now()), "ann")
                        .refused())
                .containsKey(id);
    }

    @Test
    void resolvedLettersAreDeletedByTheTimeOfTheirLastChange() {
        List<String> ids = fixture.writeDead(3);
        fixture.letters().change(ids.subList(0, 2), DlqStatus.RESOLVED, null);
        OutboxRows.execute(
                fixture.pool(),
                "UPDATE outbox_dlq_event SET updated_at = TIMESTAMP '2020-01-01 00:00:00' WHERE event_id IN ('"
                        + ids.get(0) + "', '" + ids.get(2) + "')");

        int deleted = fixture.letters().cleanUp(Instant.parse("2021-01-01T00:00:00Z"), 10);

        assertThat(deleted).isEqualTo(1);
        assertThat(fixture.letterIds()).containsExactlyInAnyOrder(ids.get(1), ids.get(2));
        assertThat(fixture.letters().attempts(ids.get(0))).isEmpty();
    }

    @Test
    void attemptsOfEventsThatWereDeliveredAreDeletedAndOthersStay() {
        List<String> ids = fixture.write(3, null);
        ids.forEach(id -> fixture.apply(null, List.of(failed(id, 0, 5, "boom"))));
        fixture.apply(null, List.of(new Outcome.Done(ids.get(0), Instant.now())));
        fixture.kill(ids.subList(1, 2), "dead");

        DeadLetterBackend letters = fixture.letters();
        letters.cleanUpAttempts(letters.currentTime().plusSeconds(60), 10);

        assertThat(letters.attempts(ids.get(0))).isEmpty();
        assertThat(letters.attempts(ids.get(1))).hasSize(2);
        assertThat(letters.attempts(ids.get(2))).hasSize(1);
    }

    /** Those that stay come first, and are more than a batch has. */
    @Test
    void oneRunOfTheCleanUpPassesAllOldAttemptsThoughTheyHaveOneTime() {
        List<String> ids = fixture.write(9, null).stream().sorted().toList();
        fixture.apply(null, ids.stream().map(id -> failed(id, 0, 5, "boom")).toList());
        OutboxRows.execute(
                fixture.pool(), "UPDATE outbox_dlq_event_attempt SET failed_at = TIMESTAMP '2020-01-01 00:00:00'");
        ids.subList(5, 9).forEach(id -> fixture.apply(null, List.of(new Outcome.Done(id, Instant.now()))));
        DeadLetterPolicy policy = DeadLetterPolicy.DEFAULT.withCleanUp(new DeadLetterPolicy.CleanUp(
                Duration.ofDays(1), new DeadLetterPolicy.Transfer(2, Duration.ZERO, Duration.ofDays(1))));
        try (DeadLetterQueue queue = new DeadLetterQueue(fixture.letters(), policy, MetricsExporter.NOOP, () -> {})) {
            queue.cleanUp();
        }

        assertThat(ids)
                .filteredOn(id -> !fixture.letters().attempts(id).isEmpty())
                .isEqualTo(ids.subList(0, 5));
    }

    @Test
    void attemptsOfEventsThatWereOpenAreDeletedLater() {
        String id = fixture.write(1, null).get(0);
        fixture.apply(null, List.of(failed(id, 0, 5, "boom")));
        DeadLetterBackend letters = fixture.letters();
        Instant before = letters.currentTime().plusSeconds(60);
        assertThat(letters.cleanUpAttempts(before, 10)).isEqualTo(1);

        fixture.apply(null, List.of(new Outcome.Done(id, Instant.now())));

        await().atMost(Duration.ofSeconds(30)).until(() -> {
            letters.cleanUpAttempts(before, 10);
            return letters.attempts(id).isEmpty();
        });
    }

    // Reading

    @Test
    void pagesFollowEachOtherInOrderOfCreation() {
        List<String> ids = fixture.writeDead(7);
        fixture.letters().change(ids.subList(0, 2), DlqStatus.RESOLVED, null);

        assertThat(allPages(DeadLetterQuery.matching(DeadLetterFilter.of(null, null, null), 3)))
                .isEqualTo(ids);
        assertThat(allPages(DeadLetterQuery.matching(
                        DeadLetterFilter.of(DlqStatus.MOVED, DeadLetterFixture.TYPE, null), 2)))
                .isEqualTo(ids.subList(2, 7));
        assertThat(allPages(DeadLetterQuery.matching(DeadLetterFilter.of(null, "Other", null), 2)))
                .isEmpty();
        assertThat(fixture.letters().list(DlqStatus.MOVED, 2, 2))
                .extracting(DeadLetter::eventId)
                .containsExactly(ids.get(4), ids.get(5));
        assertThat(fixture.letters().list(null, 0, 100))
                .extracting(DeadLetter::eventId)
                .isEqualTo(ids);
    }

    /** Ids are chosen against the order of creation, and letters of all states are in between each other. */
    @Test
    void lettersOfAllStatesAreListedByTheirAge() {
        List<String> ids = List.of("e", "d", "c", "b", "a");
        for (int i = 0; i < ids.size(); i++) {
            EventEnvelope event =
                    DeadLetterFixture.event("{\"n\":" + i + "}", DeadLetterFixture.OCCURRED.plusSeconds(i)).toBuilder()
                            .eventId(ids.get(i))
                            .build();
            fixture.with(conn -> {
                fixture.store().insertNew(conn, event);
                return null;
            });
        }
        fixture.kill(ids, "boom");
        fixture.letters().change(List.of("d"), DlqStatus.RESOLVED, null);
        fixture.letters().change(List.of("b"), DlqStatus.TO_RETRY, null);

        List<DeadLetter> second = fixture.letters().list(null, 1, 3);

        assertThat(second).extracting(DeadLetter::eventId).containsExactly("d", "c", "b");
        assertThat(second.get(0).event().payloadJson()).isEqualTo("{\"n\":1}");
        assertThat(fixture.letters().list(null, 4, 3))
                .extracting(DeadLetter::eventId)
                .containsExactly("a");
    }

    @Test
    void lettersAreFoundAndCountedByWhatTheyAreAbout() {
        List<String> ids = fixture.write(6, null);
        fixture.kill(ids.subList(0, 3), "50% Of_it!");
        fixture.kill(ids.subList(3, 6), "other");
        fixture.letters().change(ids.subList(2, 3), DlqStatus.RESOLVED, null);
        Instant from = DeadLetterFixture.OCCURRED.plusSeconds(1);
        Instant to = DeadLetterFixture.OCCURRED.plusSeconds(5);

        assertMatches(filter(null, Scope.ALL, null, null, "50% of_"), ids.subList(0, 3));
        assertMatches(filter(DlqStatus.MOVED, Scope.ALL, null, null, "50% of_"), ids.subList(0, 2));
        assertMatches(filter(null, Scope.ALL, null, null, "5__"), List.of());
        assertMatches(filter(null, Scope.ALL, from, to, null), ids.subList(1, 5));
        assertMatches(filter(null, Scope.ALL, from, to, "other"), ids.subList(3, 5));
        assertMatches(
                filter(null, new Scope(DeadLetterFixture.TYPE, "Order", "order-1", "acme"), null, null, null), ids);
        assertMatches(filter(null, new Scope(null, "Order", null, null), null, null, null), ids);
        assertMatches(filter(null, new Scope(null, null, "order-2", null), null, null, null), List.of());
        assertMatches(filter(null, new Scope(null, null, null, "other"), null, null, null), List.of());
        assertMatches(
                DeadLetterFilter.of(null, null, letter(ids.get(0)).failure().fingerprint()), ids.subList(0, 3));
    }

    private static DeadLetterFilter filter(DlqStatus status, Scope scope, Instant from, Instant to, String error) {
        return new DeadLetterFilter(
                status, new EventFilter(Set.of(), scope, from, to, new EventFilter.Failure(error, null)));
    }

    private void assertMatches(DeadLetterFilter filter, List<String> ids) {
        assertThat(allPages(DeadLetterQuery.matching(filter, 2)))
                .as("%s", filter)
                .isEqualTo(ids);
        assertThat(fixture.letters().count(filter)).as("%s", filter).isEqualTo(new Tally(ids.size(), true));
    }

    @Test
    void pagesComeWithoutPayloadsAndHeaders() {
        fixture.writeDead(1);

        DeadLetter letter =
                fixture.letters().query(DeadLetterQuery.of(null, 1)).items().get(0);

        assertThat(letter.event().payloadJson()).isNull();
        assertThat(letter.event().headersJson()).isNull();
        assertThat(letter.event().aggregateId()).isEqualTo("order-1");
        assertThat(letter.failure().error()).isEqualTo("boom");
    }

    private List<String> allPages(DeadLetterQuery first) {
        List<String> ids = new ArrayList<>();
        for (DeadLetterQuery query = first; ; ) {
            Page<DeadLetter> page = fixture.letters().query(query);
            page.items().forEach(letter -> ids.add(letter.eventId()));
            if (page.next() == null) {
                return ids;
            }
            query = query.after(page.next());
        }
    }

    @Test
    void failuresThatDifferInNumbersAndIdsOnlyAreOneGroup() {
        List<String> ids = fixture.write(4, null);
        fixture.kill(ids.subList(0, 1), "TimeoutException: no answer from 'a' after 100 ms");
        fixture.kill(ids.subList(1, 3), "TimeoutException: no answer from 'b' after 2500 ms\n\tat somewhere");
        fixture.kill(ids.subList(3, 4), "NullPointerException");

        var groups = fixture.letters().groups(10);

        assertThat(groups).hasSize(2);
        assertThat(groups.get(0).count()).isEqualTo(3);
        assertThat(groups.get(0).error()).startsWith("TimeoutException: no answer from ");
        assertThat(groups.get(0).firstAt()).isBeforeOrEqualTo(groups.get(0).lastAt());
        assertThat(allPages(DeadLetterQuery.matching(
                        DeadLetterFilter.of(null, null, groups.get(0).fingerprint()), 10)))
                .isEqualTo(ids.subList(0, 3));
        fixture.letters().change(ids.subList(3, 4), DlqStatus.RESOLVED, null);
        assertThat(fixture.letters().groups(10)).hasSize(1);
    }

    @Test
    void lettersAreCountedByTypeAndState() {
        List<String> ids = fixture.writeDead(3);
        fixture.letters().change(ids.subList(0, 1), DlqStatus.TO_RETRY, null);

        assertThat(fixture.letters().counts())
                .containsExactly(
                        new DeadLetterCount(DeadLetterFixture.TYPE, DlqStatus.MOVED, 2),
                        new DeadLetterCount(DeadLetterFixture.TYPE, DlqStatus.TO_RETRY, 1));
    }

    // What DeadEventManager sees

    @Test
    void theManagerSeesBothTables() {
        List<String> ids = fixture.write(6, null);
        fixture.kill(List.of(ids.get(0), ids.get(2), ids.get(4)), "boom");
        fixture.killInPlace(List.of(ids.get(1), ids.get(3), ids.get(5)));
        fixture.letters().change(List.of(ids.get(4)), DlqStatus.RESOLVED, null);
        DeadEventManager manager =
                new DeadEventManager(new DataSourceConnectionProvider(fixture.pool()), fixture.store());

        assertThat(manager.count(null)).isEqualTo(5);
        assertThat(manager.count(DeadLetterFixture.TYPE)).isEqualTo(5);
        assertThat(manager.query(null, "Order", 3))
                .extracting(OutboxEvent::eventId)
                .containsExactly(ids.get(0), ids.get(1), ids.get(2));
        assertThat(manager.replay(ids.get(4))).isFalse();
        assertThat(manager.replay(ids.get(0))).isTrue();
        assertThat(manager.replayAll(null, null, 2)).isEqualTo(4);
        assertThat(manager.count(null)).isZero();
        assertThat(fixture.number("SELECT COUNT(*) FROM outbox_event WHERE status = 0 AND attempts = 0"))
                .isEqualTo(5);
        assertThat(fixture.letterIds()).containsExactly(ids.get(4));
    }
}
