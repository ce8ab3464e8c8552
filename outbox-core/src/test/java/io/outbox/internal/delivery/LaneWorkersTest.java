package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.delivery.LaneSettings.Workers;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** When the workers of a lane come and go. */
@ExtendWith(NoLeftoverThreads.class)
class LaneWorkersTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private static LaneRig rig(int most, Duration mostIdle) {
        return new LaneRig(
                new OwnedEvents(new DefaultInFlightTracker()), new AlarmLine(), new Workers(most, mostIdle), false);
    }

    private static long workers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-worker-"))
                .count();
    }

    @Test
    void thoseThatStayAreThereFromTheStart() {
        try (LaneRig rig = rig(3, null)) {
            rig.start();
            assertThat(workers()).isEqualTo(3);
        }
    }

    @Test
    void thoseThatComeAndGoComeWithTheFirstEvent() {
        Gate listener = new Gate();
        try (LaneRig rig = rig(3, LONG)) {
            rig.listen(event -> {
                listener.pass();
                return DispatchResult.done();
            });
            rig.start();
            assertThat(workers()).isZero();

            rig.offer("1");

            listener.awaitReached();
            assertThat(workers()).isEqualTo(1);
            listener.open();
        }
    }

    @Test
    void whatWasQueuedBeforeTheStartIsDelivered() {
        try (LaneRig rig = rig(3, LONG)) {
            rig.offer("1");
            rig.offer("2");
            assertThat(workers()).isZero();

            rig.start();

            await().atMost(Duration.ofSeconds(10)).until(() -> rig.owned.size() == 0);
        }
    }

    @Test
    void asManyComeForAPageAsThereMayBe() {
        AtomicInteger delivering = new AtomicInteger();
        Gate listener = new Gate();
        try (LaneRig rig = rig(3, LONG)) {
            rig.listen(event -> {
                delivering.incrementAndGet();
                listener.pass();
                return DispatchResult.done();
            });
            rig.start();
            rig.lane.offer(List.of(rig.held("1"), rig.held("2"), rig.held("3"), rig.held("4"), rig.held("5")));

            await().atMost(Duration.ofSeconds(10)).until(() -> delivering.get() == 3);
            assertThat(workers()).isEqualTo(3);
            assertThat(rig.lane.room().queue().coldSize()).isEqualTo(2);

            listener.open();
            await().atMost(Duration.ofSeconds(10)).until(() -> rig.owned.size() == 0);
        }
    }

    @Test
    void aThreadThatCannotBeMadeCostsNoEventAndIsTriedAgain() {
        AtomicInteger refused = new AtomicInteger();
        ThreadFactory threads = new DaemonThreadFactory("outbox-worker-");
        try (LaneRig rig = new LaneRig(
                new OwnedEvents(new DefaultInFlightTracker()), new AlarmLine(), new Workers(1, LONG), task -> {
                    if (refused.getAndIncrement() < 3) {
                        throw new IllegalStateException("no thread for you");
                    }
                    return threads.newThread(task);
                })) {
            rig.start();
            assertThat(rig.offer("1")).as("queued").isTrue();

            rig.lane.workers().giveBackIfStandingStill(Duration.ZERO);
            assertThat(rig.owned.size()).as("left to others").isZero();
            assertThat(rig.offer("2")).as("the lane is open").isTrue();
            assertThat(refused).hasValue(3);

            rig.lane.scanStarted();
            rig.lane.scanEnded();

            await().atMost(Duration.ofSeconds(10)).until(() -> rig.owned.size() == 0);
        }
    }

    @Test
    void theyGoWhenThereIsNothingForThem() {
        try (LaneRig rig = rig(3, Duration.ofMillis(20))) {
            rig.start();
            rig.offer("1");
            rig.offer("2");

            await().atMost(Duration.ofSeconds(10)).until(() -> rig.owned.size() == 0 && workers() == 0);
        }
    }

    @Test
    void noEventWaitsForAWorkerThatHasGone() {
        Duration idle = Duration.ofNanos(100_000);
        Random random = new Random(1);
        try (LaneRig rig = rig(1, idle)) {
            rig.start();
            for (int round = 0; round < 1000; round++) {
                assertThat(rig.offer("a" + round)).isTrue();
                LockSupport.parkNanos(random.nextInt(2 * (int) idle.toNanos()));
                assertThat(rig.offer("b" + round)).isTrue();
                long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
                while (rig.lane.held() > 0) {
                    assertThat(System.nanoTime() - deadline)
                            .as("round %d", round)
                            .isNegative();
                    Thread.onSpinWait();
                }
            }
        }
    }
}
