package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.model.EventStatus;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Nodes that are slow, or do not get on at all, among others that could deliver their events. */
@ExtendWith(NoLeftoverThreads.class)
class StandstillTest {

    private static final Duration LEASE = Duration.ofSeconds(6);
    private static final int WORKERS = 2;

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Gate listener = new Gate();
    private final Node slow = Node.on(backend).named("slow", LEASE).delivery(settings -> settings.workerCount(WORKERS));

    @AfterEach
    void close() {
        listener.open();
        slow.close();
    }

    private void put(int from, int to) {
        for (int i = from; i < to; i++) {
            backend.put(Events.event("e" + i));
        }
    }

    private static void awaitUntil(Callable<Boolean> condition) {
        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(5))
                .until(condition);
    }

    private Node hanging() {
        return slow.listen(event -> {
            listener.pass();
            return DispatchResult.done();
        });
    }

    @Test
    void whatIsQueuedAtANodeWhoseWorkersHangIsLeftToOthersAndNothingMoreIsClaimedUntilOneMoves() {
        put(0, 50);
        hanging()
                .delivery(settings -> settings.longestStandstill(Duration.ofMillis(300)))
                .start();
        awaitUntil(() -> backend.locked() == 50);

        awaitUntil(() -> backend.locked() == WORKERS);
        put(50, 60);
        slow.loop().wakeUp();
        await().during(Duration.ofMillis(300)).until(() -> backend.locked() == WORKERS);

        try (Node other = Node.on(backend)
                .named("other", LEASE)
                .listen(event -> DispatchResult.done())
                .start()) {
            awaitUntil(() -> backend.count(EventStatus.DONE) == 60 - WORKERS);
            assertThat(other.delivered()).hasSize(60 - WORKERS).doesNotHaveDuplicates();
        }
        listener.open();
        awaitUntil(() -> backend.count(EventStatus.DONE) == 60);
        put(60, 61);
        slow.loop().wakeUp();
        awaitUntil(() -> backend.count(EventStatus.DONE) == 61);
        assertThat(slow.delivered()).hasSize(WORKERS + 1).contains("e60");
    }

    @Test
    void aNodeWhoseWorkersHangDoesNotReadFarAhead() {
        put(0, 500);

        hanging().start();

        awaitUntil(() -> slow.engine().coldQueueDepth() >= 90);
        await().during(Duration.ofMillis(300)).until(() -> backend.locked() <= 100 + WORKERS);
    }

    @Test
    void aSlowNodeClaimsManyEventsAtATime() {
        int events = 400;
        put(0, events);

        slow.listen(event -> {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                    return DispatchResult.done();
                })
                .start();

        awaitUntil(() -> backend.count(EventStatus.DONE) == events);
        assertThat(backend.calls(Op.CLAIM)).isLessThan(events / 10);
    }
}
