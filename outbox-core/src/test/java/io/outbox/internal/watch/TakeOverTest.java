package io.outbox.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventsLockedException;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import io.outbox.support.ScriptedBackend.Script;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Locks that have run out are taken over from dead nodes, and not from those that an outage kept from renewing them.
 */
@ExtendWith(NoLeftoverThreads.class)
class TakeOverTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final List<Collection<String>> claims = new CopyOnWriteArrayList<>();
    private final Node node = node("node").metrics(metrics);

    private Node node(String name) {
        return Node.on(backend)
                .named(name, LEASE)
                .polling(settings -> settings.intervalMs(20))
                .listen(event -> DispatchResult.done());
    }

    @AfterEach
    void close() {
        backend.up();
        node.close();
    }

    private void putStuck() {
        backend.put(Events.event("stuck"), "dead node");
        backend.age("stuck", Duration.ofHours(1));
        backend.put(Events.event("free"));
        backend.after(Op.CLAIM, call -> claims.add(call.eventIds()));
    }

    private void awaitDone(int count) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> backend.count(EventStatus.DONE) == count);
    }

    @Test
    void eventsOfADeadNodeAreTakenOverWhileTheStoreAnswers() {
        putStuck();

        node.start();

        awaitDone(2);
        assertThat(claims.get(0)).containsExactly("stuck", "free");
        await().untilAsserted(() -> assertThat(metrics.get("recovered")).isEqualTo(1));
    }

    @Test
    void nothingIsTakenOverByTheFirstClaimsAfterAnOutage() {
        putStuck();
        backend.down(Op.CURRENT_TIME);
        node.start();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.CURRENT_TIME) >= 3);

        backend.undisturbed(Op.CURRENT_TIME);

        awaitDone(2);
        assertThat(claims.get(0)).containsExactly("free");
        await().untilAsserted(() -> assertThat(metrics.get("recovered")).isEqualTo(1));
    }

    @Test
    void anOutcomeThatKeepsFailingByItselfIsNoReasonToTakeNothingOver() {
        backend.before(Op.APPLY, call -> {
            if (call.concerns("bad")) {
                throw new IllegalStateException("not this one");
            }
        });
        List.of("bad", "good 1", "good 2", "good 3").forEach(id -> backend.put(Events.event(id)));
        node.start();
        awaitDone(3);

        putStuck();

        await().atMost(Duration.ofSeconds(10)).until(() -> node.delivered().containsAll(List.of("stuck", "free")));
        awaitDone(5);
    }

    /** Its answers count as lost, so what the node claims from then on has another holder. */
    @Test
    void anOutcomeThatFailsAloneHoldsUpNoOutcomesOfLaterClaims() {
        backend.before(Op.APPLY, call -> {
            if (call.concerns("bad")) {
                throw new IllegalStateException("not this one");
            }
        });
        backend.put(Events.event("bad"));
        node.start();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.APPLY) > 4);

        putStuck();

        awaitDone(2);
        assertThat(backend.status("bad")).isEqualTo(EventStatus.NEW);
    }

    @Test
    void eventsThatSomebodyElseHasLockedAreNoReasonToTakeNothingOver() {
        AtomicBoolean locked = new AtomicBoolean(true);
        Script busy = call -> {
            if (locked.get() && call.concerns("locked")) {
                throw new EventsLockedException(Set.of("locked"));
            }
        };
        List.of(Op.APPLY, Op.RENEW, Op.RELEASE).forEach(op -> backend.before(op, busy));
        List.of("locked", "e1", "e2", "e3").forEach(id -> backend.put(Events.event(id)));
        node.start();
        awaitDone(3);

        putStuck();

        awaitDone(5);
        assertThat(backend.status("locked")).isEqualTo(EventStatus.NEW);
        locked.set(false);
        awaitDone(6);
        assertThat(node.delivered()).doesNotHaveDuplicates().hasSize(6);
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void nothingIsTakenOverWhileTheStoreKeepsAnotherCallWaiting() {
        Gate answer = new Gate();
        backend.put(Events.event("first"));
        backend.before(Op.APPLY, call -> answer.pass());
        node.start();
        answer.awaitReached();
        await().atMost(Duration.ofSeconds(10))
                .until(() -> !node.engine().coldPath().watch().isReliable());

        putStuck();

        await().atMost(Duration.ofSeconds(10)).until(() -> node.delivered().contains("free"));
        assertThat(claims).noneMatch(ids -> ids.contains("stuck"));
        answer.open();
        awaitDone(3);
    }

    @Test
    void anOutcomeKeptThroughAnOutageThatOutlastsTheLeaseIsWrittenBeforeOthersTakeTheEvent() {
        backend.put(Events.event("e"));
        backend.down(Op.APPLY);
        node.start();
        await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.APPLY) > 0);
        try (Node other = node("other").start()) {
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.CLAIM) > 2);

            backend.down();
            backend.age("e", LEASE.multipliedBy(2));
            long failing = backend.calls(Op.CURRENT_TIME);
            await().atMost(Duration.ofSeconds(10)).until(() -> backend.calls(Op.CURRENT_TIME) > failing + 5);
            backend.up();

            awaitDone(1);
            assertThat(other.delivered()).isEmpty();
        }
        assertThat(node.delivered()).containsExactly("e");
        assertThat(metrics.get("fenced")).isZero();
    }
}
