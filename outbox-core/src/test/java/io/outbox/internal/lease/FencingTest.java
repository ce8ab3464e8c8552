package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What counts as fenced: every event that was lost to another node, once, and nothing else. */
@ExtendWith(NoLeftoverThreads.class)
class FencingTest {

    private static final Duration LEASE = Duration.ofMillis(600);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final Gate listener = new Gate();
    private final Node node = Node.on(backend)
            .metrics(metrics)
            .named("node", LEASE)
            .delivery(settings -> settings.workerCount(1))
            .listen(event -> {
                listener.pass();
                return DispatchResult.done();
            });

    @AfterEach
    void close() {
        listener.open();
        backend.up();
        node.close();
    }

    /** Holds answers of these calls back, and makes sure that a renewal is answered meanwhile. */
    private void renewWhileTheAnswerIsOnItsWay(Op op) {
        AtomicBoolean heldBack = new AtomicBoolean();
        AtomicInteger renewedMeanwhile = new AtomicInteger();
        Gate answer = new Gate();
        backend.after(op, call -> {
            if (call.concerns("e")) {
                heldBack.set(true);
                answer.pass();
            }
        });
        backend.before(Op.RENEW, call -> {
            if (call.concerns("e") && heldBack.get()) {
                renewedMeanwhile.incrementAndGet();
            }
        });
        node.start();
        backend.put(Events.event("first"), Events.event("e"));
        node.loop().wakeUp();
        listener.awaitReached();
        await().until(() -> node.engine().coldQueueDepth() == 1);
        if (op == Op.RELEASE) {
            node.engine().pauses().pause();
        }
        listener.open();
        answer.awaitReached();
        await().atMost(Duration.ofSeconds(20)).until(() -> renewedMeanwhile.get() > 0);
        long turns = turns();
        await().atMost(Duration.ofSeconds(20)).until(() -> turns() > turns + 1);
        answer.open();
    }

    /** Returns how often the keeper of leases has asked the store for something. */
    private long turns() {
        return backend.calls(Op.RENEW) + backend.calls(Op.CURRENT_TIME);
    }

    @Test
    void aRenewalThatMissesTheLockBecauseTheOutcomeIsWrittenCountsNothing() {
        renewWhileTheAnswerIsOnItsWay(Op.APPLY);

        await().untilAsserted(() -> assertThat(metrics.get("success")).isEqualTo(2));
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void aRenewalThatMissesTheLockBecauseTheEventIsGivenBackCountsNothing() {
        renewWhileTheAnswerIsOnItsWay(Op.RELEASE);

        await().untilAsserted(() -> assertThat(metrics.get("success")).isEqualTo(1));
        node.engine().pauses().resume();
        await().untilAsserted(() -> assertThat(metrics.get("success")).isEqualTo(2));
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void anEventLostToAnotherNodeCountsOnceThoughRenewalAndOutcomeBothMissIt() {
        backend.put(Events.event("e"));
        node.start();
        listener.awaitReached();

        backend.steal("e", "other");
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics.get("fenced")).isEqualTo(1));
        listener.open();
        await().until(() -> backend.calls(Op.APPLY) == 1);
        node.close();

        assertThat(metrics.get("fenced")).isEqualTo(1);
        assertThat(backend.status("e")).isEqualTo(EventStatus.NEW);
        assertThat(backend.owner("e")).isEqualTo("other");
    }

    @Test
    void anEventLostToAnotherNodeCountsOnceIfOnlyTheOutcomeMissesIt() {
        backend.put(Events.event("e"));
        node.start();
        listener.awaitReached();

        backend.down(Op.RENEW);
        backend.steal("e", "other");
        listener.open();

        await().untilAsserted(() -> assertThat(metrics.get("fenced")).isEqualTo(1));
        node.close();
        assertThat(metrics.get("fenced")).isEqualTo(1);
        assertThat(metrics.get("success")).isZero();
    }
}
