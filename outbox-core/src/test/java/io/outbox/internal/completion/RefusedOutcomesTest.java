package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.completion.RefusedOutcomes.Answer;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.Outcome;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.Refusal;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A store that refuses what is said about one event, and takes everything else. */
@ExtendWith(NoLeftoverThreads.class)
class RefusedOutcomesTest {

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Node node = Node.on(backend).metrics(metrics);

    @AfterEach
    void close() {
        node.close();
    }

    private void refuse(Op op) {
        backend.before(op, call -> {
            if (call.concerns("bad")) {
                throw new Refusal("not this one");
            }
        });
    }

    private void put(int count) {
        backend.put(Events.event("bad"));
        for (int i = 1; i < count; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    private long deliveries(String eventId) {
        return Collections.frequency(node.delivered(), eventId);
    }

    @Test
    void anEventWhoseOutcomeIsRefusedCountsAnAttemptEachTimeAndIsDeadInTheEnd() {
        backend.before(Op.APPLY, call -> {
            boolean refused = call.outcomes().stream()
                    .anyMatch(outcome ->
                            outcome instanceof Outcome.Done && outcome.eventId().equals("bad"));
            if (refused) {
                throw new Refusal("not this one");
            }
        });
        put(50);
        node.named("node", Duration.ofSeconds(30))
                .delivery(settings -> settings.maxAttempts(2))
                .delivery(settings -> settings.retryPolicy(attempts -> 10))
                .polling(settings -> settings.intervalMs(5))
                .listen(event -> DispatchResult.done())
                .start();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == 49);
        assertThat(deliveries("bad"))
                .as("set aside, and in nobody else's hands")
                .isEqualTo(1);
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.status("bad") == EventStatus.RETRY);
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.status("bad") == EventStatus.DEAD);

        assertThat(deliveries("bad")).isEqualTo(2);
        assertThat(node.delivered()).hasSize(51);
        await().untilAsserted(() -> assertThat(metrics.get("dead")).isEqualTo(1));
        assertThat(metrics.get("failure")).isEqualTo(1);
        assertThat(metrics.get("success")).isEqualTo(49);
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void anEventWhoseRenewalIsRefusedCostsNoOtherItsLock() {
        Gate listener = new Gate();
        Duration lease = Duration.ofMillis(600);
        put(4);
        refuse(Op.RENEW);
        node.named("node", lease)
                .listen(event -> {
                    listener.pass();
                    return DispatchResult.done();
                })
                .start();
        listener.awaitReached();
        Instant begun = Instant.now();

        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(List.of("e1", "e2", "e3"))
                        .allSatisfy(id -> assertThat(backend.row(id).lockedAt()).isAfter(begun.plus(lease))));

        listener.open();
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DONE) == 4);
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void anEventThatCannotBeGivenBackKeepsNoOtherFromIt() {
        put(10);
        refuse(Op.RELEASE);
        node.named("node", Duration.ofMinutes(1))
                .listen(event -> DispatchResult.done())
                .build();
        node.loop().pollOnce();
        assertThat(backend.locked()).isEqualTo(10);

        node.engine().pauses().pause();
        node.engine().start();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 1);
        assertThat(backend.owner("bad")).isEqualTo("node");
    }

    @Test
    void outcomesThatTheStoreDoesNotTakeKeepNoEventFromBeingGivenBack() {
        Gate second = new Gate();
        put(5);
        backend.down(Op.APPLY);
        node.named("node", Duration.ofMinutes(1))
                .delivery(settings -> settings.workerCount(1))
                .listen(event -> {
                    if (!event.eventId().equals("bad")) {
                        second.pass();
                    }
                    return DispatchResult.done();
                })
                .build();
        node.loop().pollOnce();
        node.engine().start();
        second.awaitReached();
        await().until(() -> backend.calls(Op.APPLY) > 0);

        node.engine().pauses().pause();

        await().atMost(Duration.ofSeconds(10)).until(() -> backend.locked() == 2);
        backend.up();
        second.open();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.count(EventStatus.DONE) == 2);
    }

    // Events that another program has locked

    @Test
    void lockedEventsInAnyNumberKeepNoOutcomeOfAnotherFromBeingWritten() {
        int many = 3_000;
        AtomicBoolean locked = new AtomicBoolean(true);
        backend.before(Op.APPLY, call -> {
            Set<String> lockedIds = call.outcomes().stream()
                    .map(Outcome::eventId)
                    .filter(id -> id.startsWith("locked"))
                    .collect(Collectors.toSet());
            if (locked.get() && !lockedIds.isEmpty()) {
                throw new EventsLockedException(lockedIds);
            }
        });
        for (int i = 0; i < many; i++) {
            backend.put(Events.event("locked" + i));
        }
        put(10);

        node.listen(event -> DispatchResult.done()).start();

        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DONE) == 10);
        assertThat(node.delivered()).hasSize(many + 10);
        locked.set(false);
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DONE) == many + 10);
        assertThat(node.delivered()).hasSize(many + 10).doesNotHaveDuplicates();
    }

    @Test
    void lockedOutcomesAreTriedABatchAtATimeUntilOneIsFree() {
        int many = 2_000;
        RefusedOutcomes refused = new RefusedOutcomes();
        for (int i = 0; i < many; i++) {
            assertThat(refused.add(completion("e" + i), Answer.LOCKED)).isTrue();
        }
        List<Integer> sizes = new ArrayList<>();
        Set<String> tried = new HashSet<>();

        for (int round = 0; round < 4; round++) {
            refused.retry(
                    batch -> {
                        sizes.add(batch.size());
                        batch.forEach(one -> tried.add(one.hold().eventId()));
                        return answers(batch, Answer.LOCKED);
                    },
                    true);
        }

        assertThat(sizes).containsExactly(512, 512, 512, 512);
        assertThat(tried).as("each has its turn").hasSize(many);

        refused.retry(batch -> answers(batch, Answer.WRITTEN), true);
        assertThat(refused.clear()).isEmpty();
    }

    private static Map<Hold, Answer> answers(List<Completion> batch, Answer answer) {
        return batch.stream().collect(Collectors.toMap(Completion::hold, completion -> answer));
    }

    private static Completion completion(String eventId) {
        Hold hold = new OwnedEvents(new DefaultInFlightTracker()).acquire(eventId);
        Outcome done = new Outcome.Done(eventId, Instant.now());
        return new Completion(hold, Events.TYPE, null, done, new Completion.Failure(null, 0, () -> done));
    }

    // The pauses between attempts

    private long longestPause(Answer answer) {
        RefusedOutcomes refused = new RefusedOutcomes();
        refused.add(completion("e"), answer);
        for (int i = 0; i < 20; i++) {
            refused.retry(batch -> answers(batch, answer), true);
        }
        return TimeUnit.NANOSECONDS.toMillis(refused.nanosToNext());
    }

    @Test
    void anOutcomeThatIsRefusedIsTriedAgainEverMoreSeldom() {
        assertThat(longestPause(Answer.REFUSED)).isBetween(30_000L, 60_000L);
    }

    @Test
    void anOutcomeThatOnlyHadBadLuckIsTriedAgainWithinSeconds() {
        assertThat(longestPause(Answer.FAILED)).isLessThanOrEqualTo(2_000L);
        assertThat(longestPause(Answer.LOCKED)).isLessThanOrEqualTo(2_000L);
    }
}
