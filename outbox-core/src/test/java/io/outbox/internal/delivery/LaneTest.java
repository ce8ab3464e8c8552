package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Race;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What may enter a lane while a circuit opens, and while its workers do not come. */
@ExtendWith(NoLeftoverThreads.class)
class LaneTest {

    private static final RouteUnavailableException DOWN = new RouteUnavailableException("down");

    private static OwnedEvents holds() {
        return new OwnedEvents(new DefaultInFlightTracker());
    }

    // Bytes

    @Test
    void aLaneHoldsAsManyBytesAsAreFreeHoweverFewEventsThatIs() {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            HeldEvent first = large(rig, "e1");
            HeldEvent refused = large(rig, "e4");

            assertThat(rig.lane.offer(List.of(first, large(rig, "e2"), large(rig, "e3"), refused)))
                    .isEqualTo(3);
            assertThat(rig.lane.room().cold()).isZero();

            rig.completion.giveBack(first.hold());
            assertThat(rig.lane.room().cold()).isPositive();
            assertThat(rig.lane.offer(refused)).isTrue();
        }
    }

    @Test
    void whoeverWaitsForBytesIsCalledWhenEventsHaveEnded() {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            HeldEvent first = large(rig, "e1");
            rig.lane.offer(List.of(first, large(rig, "e2"), large(rig, "e3")));
            AtomicInteger calls = new AtomicInteger();
            rig.lane.feeds().get(0).whenCapacityFrees(calls::incrementAndGet);
            assertThat(calls).hasValue(0);

            rig.completion.giveBack(first.hold());

            assertThat(calls).hasValue(1);
        }
    }

    /** Returns an event of a fifth of the rig's budget. */
    private static HeldEvent large(LaneRig rig, String eventId) {
        EventEnvelope event = Events.event(eventId).toBuilder()
                .payloadJson('"' + "x".repeat(200_000) + '"')
                .build();
        return new HeldEvent(new QueuedEvent(event, Source.COLD, 0), rig.owned.acquire(eventId));
    }

    // Strict order

    @Test
    void inStrictOrderNoEventEntersBehindTheBackOfTheOneThatWaits() throws Exception {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), true);
                Race race = new Race(2)) {
            for (int round = 0; round < 3000; round++) {
                String id = "e" + round;
                HeldEvent waiting = rig.held(id);

                race.both(
                        () -> {
                            rig.lane.targets().unavailable(Events.TYPE, List.of(waiting), DOWN);
                            return null;
                        },
                        () -> {
                            rig.offer(id + "-1");
                            rig.offer(id + "-2");
                            return null;
                        });

                assertThat(rig.lane.room().queue().coldSize())
                        .as("round %d", round)
                        .isZero();
                assertThat(rig.owned.size()).as("round %d", round).isZero();
                rig.lane.targets().answered(waiting.eventType());
            }
        }
    }

    @Test
    void inStrictOrderTheRestOfAPageIsRefusedOnceEventsOfItWereGivenBack() {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), true)) {
            HeldEvent first = rig.held("1");
            rig.lane.scanStarted();
            assertThat(rig.offer("2")).isTrue();
            rig.lane.targets().unavailable(Events.TYPE, List.of(first), DOWN);
            rig.lane.targets().answered(first.eventType());

            assertThat(rig.offer("3")).as("of the same page").isFalse();
            rig.lane.scanEnded();
            rig.lane.scanStarted();
            assertThat(rig.offer("1")).as("of the next page").isTrue();
            rig.lane.scanEnded();
        }
    }

    @Test
    void noProbePassesBeforeTheEventsThatWaitAreBackInTheStore() throws Exception {
        Gate givenBack = new Gate();
        try (LaneRig rig = new LaneRig(holds(), new GatedAlarm(givenBack), true)) {
            HeldEvent waiting = rig.held("1");
            CompletableFuture<Void> worker = CompletableFuture.runAsync(
                    () -> rig.lane.targets().unavailable(Events.TYPE, List.of(waiting), DOWN));
            givenBack.awaitReached();

            await().during(Duration.ofMillis(700))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> rig.lane.feeds().get(0).availableCapacity() == 0);

            givenBack.open();
            worker.get(10, TimeUnit.SECONDS);
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> rig.lane.feeds().get(0).availableCapacity() == 1);
        }
    }

    /** An alarm that waits before it tells of events that are due now. */
    private record GatedAlarm(Gate gate) implements Alarm {

        @Override
        public void dueAt(EventTypes types, Instant due) {}

        @Override
        public void dueNow(EventTypes types) {
            gate.pass();
        }

        @Override
        public void dueSoon(EventTypes types) {}

        @Override
        public void dueIn(EventTypes types, long delayMs) {}
    }

    // Failures that cannot be told

    /** An exception that cannot even tell what happened. */
    private static final class Unspeakable extends RouteUnavailableException {
        private static final long serialVersionUID = 1L;

        Unspeakable() {
            super("");
        }

        @Override
        public String getMessage() {
            throw new StackOverflowError("message");
        }
    }

    @Test
    void anUnavailableTargetThatCannotSayWhyCostsNoEventItsEnd() {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            rig.listen(event -> {
                throw new Unspeakable();
            });
            rig.start();

            assertThat(rig.offer("1")).isTrue();

            await().atMost(Duration.ofSeconds(10)).until(() -> rig.owned.size() == 0);
            assertThat(rig.lane.unavailable())
                    .extracting(UnavailableTarget::cause)
                    .containsExactly(Unspeakable.class.getName());
        }
    }

    // Standstill

    @Test
    void aLaneWithAFreeWorkerDoesNotStandStillHoweverLongTheProcessDid() {
        AtomicInteger delivered = new AtomicInteger();
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            rig.listen(event -> {
                delivered.incrementAndGet();
                return DispatchResult.done();
            });
            rig.start();
            await().until(LaneTest::theWorkerWaits);

            whileTheWorkerCannotGoOn(rig, () -> {
                rig.offer("1");
                rig.lane.workers().giveBackIfStandingStill(Duration.ZERO);
            });

            await().atMost(Duration.ofSeconds(10)).until(() -> delivered.get() == 1);
            assertThat(rig.offer("2")).isTrue();
        }
    }

    private static boolean theWorkerWaits() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("outbox-worker-")
                        && thread.getState() == Thread.State.TIMED_WAITING);
    }

    /** Runs the action under the lock that the worker needs when it wakes up. */
    private static void whileTheWorkerCannotGoOn(LaneRig rig, Runnable action) {
        rig.lane.room().queue().remove(event -> false, action);
    }

    @Test
    void aLaneWhoseWorkersHangGivesItsEventsBackAndTakesNoMoreUntilOneComes() {
        Gate listener = new Gate();
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            rig.listen(event -> {
                listener.pass();
                return DispatchResult.done();
            });
            rig.start();
            rig.offer("1");
            listener.awaitReached();
            rig.offer("2");
            rig.offer("3");

            rig.lane.workers().giveBackIfStandingStill(Duration.ofHours(1));
            assertThat(rig.lane.room().queue().coldSize()).isEqualTo(2);
            rig.lane.workers().giveBackIfStandingStill(Duration.ZERO);

            assertThat(rig.lane.room().queue().coldSize()).isZero();
            assertThat(rig.owned.size()).as("the one with the listener").isEqualTo(1);
            assertThat(rig.offer("4")).isFalse();
            assertThat(rig.lane.isOpenTo("any")).isFalse();
            assertThat(rig.lane.feeds().get(0).availableCapacity()).isZero();
            listener.open();
            await().atMost(Duration.ofSeconds(10)).until(() -> rig.offer("5"));
        }
    }

    @Test
    void aLaneWithoutWorkersIsOpenAgainOnceSomebodyDeliversByHand() {
        try (LaneRig rig = new LaneRig(holds(), new AlarmLine(), false)) {
            rig.offer("1");
            rig.lane.workers().giveBackIfStandingStill(Duration.ZERO);
            assertThat(rig.offer("2")).isFalse();

            assertThat(rig.lane.workers().deliverNext()).isZero();

            assertThat(rig.offer("3")).isTrue();
            assertThat(rig.lane.workers().deliverNext()).isEqualTo(1);
        }
    }
}
