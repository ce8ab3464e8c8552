package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.Outcome;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Calls that take effect in the store, and whose answer never comes. */
@ExtendWith(NoLeftoverThreads.class)
class LostAnswerTest {

    /** Longer than any test. */
    private static final Duration LEASE = Duration.ofHours(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Node node = Node.on(backend)
            .metrics(metrics)
            .named("node", LEASE)
            .delivery(settings -> settings.retryPolicy(attempts -> 0))
            .delivery(settings -> settings.maxAttempts(100))
            .polling(settings -> settings.intervalMs(20));

    @AfterEach
    void close() {
        node.close();
    }

    private void loseTheAnswerToTheFirstClaimOf(String eventId) {
        AtomicInteger lost = new AtomicInteger();
        backend.after(Op.CLAIM, call -> {
            if (call.concerns(eventId) && lost.getAndIncrement() == 0) {
                throw new IllegalStateException("connection reset");
            }
        });
    }

    private void awaitDone(int count) {
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.count(EventStatus.DONE) == count);
    }

    @Test
    void whatAClaimLeftBehindIsTakenAgainByTheNodeThatLives() {
        loseTheAnswerToTheFirstClaimOf("e1");
        backend.put(Events.event("e1"));
        backend.put(Events.event("e2"));

        node.listen(event -> DispatchResult.done()).start();

        awaitDone(2);
        assertThat(node.delivered()).containsExactlyInAnyOrder("e1", "e2");
        assertThat(metrics.get("recovered")).isZero();
        assertThat(metrics.get("fenced")).isZero();
    }

    /** Each claim takes again what the one before has left behind, so only the name of the last one is in the row. */
    @Test
    void howeverManyAnswersGetLostTheEventIsTakenAgain() {
        int lost = 70;
        AtomicInteger claims = new AtomicInteger();
        backend.after(Op.CLAIM, call -> {
            if (call.concerns("e") && claims.getAndIncrement() < lost) {
                throw new IllegalStateException("connection reset");
            }
        });
        backend.put(Events.event("e"));

        node.listen(event -> DispatchResult.done()).start();

        awaitDone(1);
        assertThat(claims.get()).isGreaterThan(lost);
        assertThat(node.delivered()).containsExactly("e");
    }

    @Test
    void whatALostClaimHasTakenIsTakenAgainWhenItsTargetIsAvailableAgain() {
        Gate claimed = new Gate();
        AtomicInteger lost = new AtomicInteger();
        Duration longerThanAClaimTakesEffect = Duration.ofSeconds(7);
        AtomicInteger deliveries = new AtomicInteger();
        backend.after(Op.CLAIM, call -> {
            if (call.concerns("lost") && lost.getAndIncrement() == 0) {
                claimed.open();
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !node.engine().unavailable().isEmpty());
                throw new IllegalStateException("connection reset");
            }
        });
        node.listen(event -> {
                    if (deliveries.getAndIncrement() == 0) {
                        backend.put(Events.event("lost"));
                        claimed.pass();
                        throw new RouteUnavailableException("away", null, longerThanAClaimTakesEffect);
                    }
                    return DispatchResult.done();
                })
                .start();

        backend.put(Events.event("first"));

        await().atMost(Duration.ofSeconds(60)).until(() -> backend.count(EventStatus.DONE) == 2);
    }

    /** A session that is ended while it commits: its rows appear after the node has given them back in vain. */
    @Test
    void aCommitThatTakesEffectLateLeavesNoEventBehind() {
        node.listen(event -> DispatchResult.done()).start();
        EventEnvelope late = Events.event("late");
        backend.begin();
        node.writer().write(late);
        backend.endUnknown(false);
        await().atMost(Duration.ofSeconds(20)).until(() -> backend.calls(Op.RELEASE) > 0);

        backend.put(late, "node");

        awaitDone(1);
        assertThat(node.delivered()).containsExactly("late");
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void whatTheNodeKnowsOfIsNotTakenAgain() {
        Gate busy = new Gate();
        backend.put(Events.event("known"));
        node.listen(event -> {
                    if (event.eventId().equals("known")) {
                        busy.pass();
                    }
                    return DispatchResult.done();
                })
                .start();
        busy.awaitReached();
        loseTheAnswerToTheFirstClaimOf("lost");
        backend.put(Events.event("lost"));

        awaitDone(1);
        assertThat(backend.row("known").ownerId()).isEqualTo("node");
        busy.open();

        awaitDone(2);
        assertThat(node.delivered()).containsExactly("known", "lost");
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void aFailureThatIsRepeatedAfterTheEventWasClaimedAgainCountsOnce() {
        AtomicInteger failures = new AtomicInteger();
        backend.put(Events.event("e"));
        backend.after(Op.APPLY, call -> {
            if (call.number() == 1) {
                failByAnotherNode();
                throw new IllegalStateException("connection reset");
            }
        });
        backend.before(Op.APPLY, call -> {
            if (call.number() == 3) { // the second is that of the other node
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> backend.row("e").ownerId() != null);
            }
        });
        node.listen(event -> {
                    if (failures.incrementAndGet() <= 2) {
                        throw new IllegalStateException("does not work yet");
                    }
                    return DispatchResult.done();
                })
                .start();

        awaitDone(1);

        assertThat(failures).hasValue(3);
        assertThat(backend.row("e").attempts()).as("two here, one elsewhere").isEqualTo(3);
    }

    private void failByAnotherNode() {
        Lease other = new Lease("other", LEASE);
        backend.claim(ClaimRequest.first(other, backend.currentTime(), 10));
        Instant now = backend.currentTime().minusSeconds(1);
        backend.apply("other", List.of(new Outcome.Failed("e", now, 1, 100, "of another node")));
    }
}
