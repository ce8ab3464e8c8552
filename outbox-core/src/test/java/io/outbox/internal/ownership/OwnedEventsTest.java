package io.outbox.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.support.Race;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The rules of the ownership protocol, one by one, and the races between them. */
class OwnedEventsTest {

    private static final int ROUNDS = 5000;
    private static final Duration LONG = Duration.ofHours(1);

    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());

    @Test
    void anEventHasOneHolderUntilItsHoldIsClosed() {
        Hold hold = owned.acquire("e");

        assertThat(hold).isNotNull();
        assertThat(hold.eventId()).isEqualTo("e");
        assertThat(hold.holder()).isNull();
        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.size()).isEqualTo(1);
        assertThat(owned.close(hold)).isNull();
        assertThat(owned.size()).isZero();
        assertThat(owned.acquire("e")).isNotNull();
    }

    @Test
    void aHoldThatIsOverDoesNotEndTheOneThatFollowed() {
        Hold former = owned.acquire("e");
        owned.close(former);
        owned.acquire("e");

        owned.close(former);

        assertThat(owned.acquire("e")).isNull();
    }

    @Test
    void aHoldThatOutlivedItsTrackersTimeDoesNotEndTheOneThatTookItsPlace() {
        OwnedEvents forgetful = new OwnedEvents(new DefaultInFlightTracker(1), LONG, LONG, new LockClock());
        Hold former = forgetful.acquire("e");
        await().atMost(Duration.ofSeconds(10)).until(() -> forgetful.acquire("e"), Objects::nonNull);

        assertThat(forgetful.close(former)).isNull();

        assertThat(forgetful.isHeld("e")).isTrue();
    }

    @Test
    void oneOf8ThreadsBecomesTheHolder() throws Exception {
        try (Race race = new Race(8)) {
            for (int round = 0; round < 1000; round++) {
                List<Hold> holds = race.times(8, () -> owned.acquire("e"));

                assertThat(holds).filteredOn(Objects::nonNull).hasSize(1).allSatisfy(owned::close);
            }
        }
        assertThat(owned.size()).isZero();
    }

    // Visible before queued

    @Test
    void aReservedEventIsLeftToItsWriter() {
        Hold reservation = owned.reserve("e", null);

        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.confirm(reservation)).isTrue();
        assertThat(owned.confirm(reservation)).isFalse();
        assertThat(owned.acquire("e")).isNull();
        owned.close(reservation);
        assertThat(owned.size()).isZero();
    }

    @Test
    void anEventThatIsHeldCannotBeReserved() {
        Hold hold = owned.acquire("e");

        assertThat(owned.reserve("e", "node")).isNull();

        owned.close(hold);
        assertThat(owned.size()).isZero();
    }

    @Test
    void aReservationKeepsItsOwner() {
        assertThat(owned.reserve("e", "node").holder()).isEqualTo("node");
    }

    @Test
    void aReservationThatIsUndoneIsOverAtOnce() {
        Hold reservation = owned.reserve("e", "node");

        owned.undo(reservation);

        assertThat(owned.size()).isZero();
        assertThat(owned.confirm(reservation)).isFalse();
        assertThat(owned.reserve("e", "node")).isNotNull();
    }

    @Test
    void onlyAReservationCanBeUndone() {
        Hold confirmed = owned.reserve("e", "node");
        owned.confirm(confirmed);

        owned.undo(confirmed);

        assertThat(owned.isHeld("e")).isTrue();
        assertThat(owned.acquire("e")).isNull();
    }

    @Test
    void aReservationThatWasClaimedInTheStoreIsTakenOverAndItsWriterTurnedAway() {
        Hold reservation = owned.reserve("e", "node");

        Hold claimed = claim("e");

        assertThat(claimed).isNotNull();
        assertThat(owned.confirm(reservation)).isFalse();
        assertThat(owned.close(claimed)).isNull();
        assertThat(owned.size()).isZero();
    }

    @Test
    void aWriterThatComesLateDoesNotDisturbWhoeverHoldsTheEventNow() {
        Hold reservation = owned.reserve("e", "node");
        Hold claimed = claim("e");

        owned.undo(reservation);
        assertThat(owned.confirm(reservation)).isFalse();

        assertThat(owned.isHeld("e")).isTrue();
        assertThat(owned.acquire("e")).isNull();
        owned.close(claimed);
        assertThat(owned.size()).isZero();
    }

    @Test
    void writerAndClaimantNeverBothGetAReservedEvent() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold reservation = owned.reserve(id, "node");

                List<Hold> holds = race.both(() -> owned.confirm(reservation) ? reservation : null, () -> claim(id));

                Hold written = holds.get(0);
                Hold claimed = holds.get(1);
                assertThat(written == null).as("round %d", round).isNotEqualTo(claimed == null);
                closeAll(written != null ? written : claimed, written != null);
            }
        }
        assertThat(owned.size()).isZero();
    }

    @Test
    void writerAndPollerNeverBothGetAReservedEvent() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold reservation = owned.reserve(id, null);

                List<Hold> holds =
                        race.both(() -> owned.confirm(reservation) ? reservation : null, () -> owned.acquire(id));

                assertThat(holds.get(0)).as("round %d", round).isNotNull();
                assertThat(holds.get(1)).as("round %d", round).isNull();
                owned.close(holds.get(0));
            }
        }
        assertThat(owned.size()).isZero();
    }

    @Test
    void aReservationWhoseWriterStaysAwayIsTakenOverOnceTheGraceIsOver() {
        OwnedEvents impatient =
                new OwnedEvents(new DefaultInFlightTracker(), Duration.ofMillis(50), LONG, new LockClock());
        Hold reservation = impatient.reserve("e", null);
        assertThat(impatient.acquire("e")).as("seen for the first time").isNull();

        Hold taken = await().atMost(Duration.ofSeconds(10)).until(() -> impatient.acquire("e"), Objects::nonNull);

        assertThat(impatient.acquire("e")).isNull();
        assertThat(impatient.confirm(reservation)).as("the writer comes late").isFalse();
        assertThat(impatient.close(taken)).isNull();
        assertThat(impatient.size()).isZero();
    }

    @Test
    void theGraceBeginsWhenTheRowIsSeenNotWhenItIsReserved() {
        OwnedEvents patient =
                new OwnedEvents(new DefaultInFlightTracker(), Duration.ofMillis(500), LONG, new LockClock());
        Hold reservation = patient.reserve("e", null);
        await().pollDelay(Duration.ofMillis(600)).until(() -> true);

        assertThat(patient.acquire("e"))
                .as("a long transaction has just committed")
                .isNull();
        assertThat(patient.confirm(reservation)).isTrue();
    }

    @Test
    void writerAndPollerNeverBothGetAReservationThatIsOverdue() throws Exception {
        OwnedEvents hasty = new OwnedEvents(new DefaultInFlightTracker(), Duration.ZERO, LONG, new LockClock());
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold reservation = hasty.reserve(id, null);

                List<Hold> holds =
                        race.both(() -> hasty.confirm(reservation) ? reservation : null, () -> hasty.acquire(id));

                Hold written = holds.get(0);
                Hold taken = holds.get(1);
                assertThat(written == null).as("round %d", round).isNotEqualTo(taken == null);
                hasty.close(written != null ? written : taken);
            }
        }
        assertThat(hasty.size()).isZero();
    }

    // Read before finished

    @Test
    void anEventThatEndedDuringAScanIsRefusedUntilTheScanIsOver() {
        Hold hold = owned.acquire("e");
        owned.scanStarted();
        owned.close(hold);

        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.acquire("other")).isNotNull();
        owned.scanEnded();
        assertThat(owned.acquire("e")).isNotNull();
    }

    @Test
    void anEventThatEndedBeforeAScanMayComeAgain() {
        owned.close(owned.acquire("e"));

        owned.scanStarted();

        assertThat(owned.acquire("e")).isNotNull();
    }

    @Test
    void aNewScanForgetsWhatEndedInTheOneBefore() {
        owned.scanStarted();
        owned.close(owned.acquire("e"));
        owned.scanEnded();

        owned.scanStarted();

        assertThat(owned.acquire("e")).isNotNull();
    }

    @Test
    void aRefusedEventIsNotHeld() {
        owned.scanStarted();
        owned.close(owned.acquire("e"));
        owned.acquire("e");
        owned.scanEnded();

        assertThat(owned.size()).isZero();
        assertThat(owned.acquire("e")).isNotNull();
    }

    @Test
    void aScanNeverGetsAnEventThatEndsMeanwhile() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold hold = owned.acquire(id);
                owned.scanStarted();

                List<Hold> holds = race.both(() -> owned.close(hold), () -> owned.acquire(id));

                assertThat(holds).as("round %d", round).containsOnlyNulls();
                owned.scanEnded();
            }
        }
        assertThat(owned.size()).isZero();
    }

    // Claimed before closed

    @Test
    void aClaimOnAFreeEventIsAHoldUnderItsOwner() {
        Hold hold = claim("e");

        assertThat(hold.holder()).isEqualTo("node");
        assertThat(owned.acquire("e")).isNull();
    }

    @Test
    void aClaimOnAHeldEventIsGivenBackByWhoeverClosesTheHold() {
        Hold hold = claim("e");

        assertThat(claim("e")).isNull();
        Hold unwanted = owned.close(hold);

        assertThat(unwanted).isNotNull();
        assertThat(unwanted.holder()).isEqualTo("node");
        assertThat(owned.acquire("e"))
                .as("behind the gate until it is given back")
                .isNull();
        assertThat(owned.close(unwanted)).isNull();
        assertThat(owned.size()).isZero();
    }

    @Test
    void aClaimIsNeitherLostNorHeldTwiceWhileTheFormerHoldCloses() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold former = claim(id);

                List<Hold> holds = race.both(() -> owned.close(former), () -> claim(id));

                assertThat(holds)
                        .as("round %d", round)
                        .filteredOn(Objects::nonNull)
                        .hasSize(1);
                assertThat(owned.size()).as("round %d", round).isEqualTo(1);
                Hold current = holds.get(0) != null ? holds.get(0) : holds.get(1);
                assertThat(current.holder()).isEqualTo("node");
                assertThat(owned.close(current)).isNull();
            }
        }
        assertThat(owned.size()).isZero();
    }

    @Test
    void aNewerHoldKeepsItsPlaceWhileAClaimIsGivenBack() throws Exception {
        try (Race race = new Race(3)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                Hold former = claim(id);
                claim(id);

                List<Callable<Hold>> actions =
                        List.of(() -> owned.close(former), () -> owned.acquire(id), () -> owned.acquire(id));
                List<Hold> holds = race.run(actions);

                assertThat(holds)
                        .as("round %d", round)
                        .filteredOn(Objects::nonNull)
                        .hasSize(1);
                holds.stream().filter(Objects::nonNull).forEach(owned::close);
            }
        }
        assertThat(owned.size()).isZero();
    }

    // Locks in a shared store

    @Test
    void onlyLockedHoldsThatAreNotReservedAreRenewed() {
        owned.acquire("unlocked");
        owned.reserve("reserved", "node");
        Hold locked = claim("locked");

        assertThat(owned.lockedLongerThan(0)).containsExactly(locked);
        assertThat(owned.lockedLongerThan(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void renewalRestartsTheAgeOfALock() {
        Hold hold = claim("e");

        hold.renewed(System.nanoTime() - 1_000_000_000L);
        assertThat(hold.lockAgeNanos(System.nanoTime())).isGreaterThanOrEqualTo(1_000_000_000L);
        hold.renewed(System.nanoTime());
        assertThat(hold.lockAgeNanos(System.nanoTime())).isLessThan(1_000_000_000L);
    }

    @Test
    void aLossIsNoticedOnceWhoeverNoticesIt() {
        Hold hold = claim("e");

        assertThat(hold.isLost()).isFalse();
        assertThat(hold.renewalMissed()).isTrue();
        assertThat(hold.isLost()).isTrue();
        assertThat(hold.renewalMissed()).isFalse();
        assertThat(hold.outcomeRefused()).isFalse();
    }

    @Test
    void aRenewalThatMissesTheLockIsNoLossOnceTheOutcomeIsOnItsWay() {
        Hold hold = claim("e");

        hold.settle();

        assertThat(hold.renewalMissed()).isFalse();
        assertThat(hold.isLost()).isFalse();
        assertThat(hold.outcomeRefused()).isTrue();
    }

    @Test
    void aLockIsNotLostAfterTheEnd() {
        Hold ended = claim("f");
        owned.close(ended);

        assertThat(ended.renewalMissed()).isFalse();
    }

    @Test
    void aLostLockIsHeldAgainOnceItIsClaimedAgain() {
        Hold hold = claim("e");
        hold.renewalMissed();

        claim("e");

        assertThat(hold.isLost()).isFalse();
    }

    private Hold claim(String eventId) {
        return owned.acquireClaimed(eventId, "node", System.nanoTime(), new Patience());
    }

    private void closeAll(Hold hold, boolean claimPending) {
        Hold unwanted = owned.close(hold);
        assertThat(unwanted != null).isEqualTo(claimPending);
        if (unwanted != null) {
            assertThat(owned.close(unwanted)).isNull();
        }
    }

    @Test
    void aTrackerThatRefusesAWholePageHoldsItUpOnce() {
        OwnedEvents refused = new OwnedEvents(new InFlightTracker() {
            @Override
            public boolean tryAcquire(String eventId) {
                return false;
            }

            @Override
            public void release(String eventId) {
                // nothing was acquired
            }
        });
        Patience patience = new Patience();
        long begin = System.nanoTime();

        for (int i = 0; i < 100; i++) {
            assertThat(refused.acquireClaimed("e" + i, "node", begin, patience)).isNull();
        }

        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aLockIsAsOldAsTheClockSaysThatDidNotStandStill() {
        AtomicLong nanos = new AtomicLong();
        AtomicLong millis = new AtomicLong(1_000_000);
        OwnedEvents holds = new OwnedEvents(
                new DefaultInFlightTracker(),
                OwnedEvents.RESERVATION_GRACE,
                OwnedEvents.LONGEST_RESERVATION,
                new LockClock(nanos::get, millis::get));
        Hold hold = holds.acquireClaimed("e", "node", holds.now(), new Patience());

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        millis.addAndGet(Duration.ofMinutes(5).toMillis()); // the machine was paused, and its monotonic clock with it
        assertThat(holds.lockedLongerThan(Duration.ofMinutes(5).toNanos())).containsExactly(hold);

        hold.renewed(holds.now());
        assertThat(holds.lockedLongerThan(1)).isEmpty();
        millis.addAndGet(-Duration.ofHours(1).toMillis()); // set back
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(hold.lockAgeNanos(holds.now()))
                .isEqualTo(Duration.ofSeconds(10).toNanos());
    }

    /** A renewal that is on its way when the machine is paused counts from before. */
    @Test
    void aPauseBetweenAStatementAndItsAnswerCounts() {
        AtomicLong nanos = new AtomicLong();
        AtomicLong millis = new AtomicLong();
        LockClock clock = new LockClock(nanos::get, millis::get);
        Hold hold = Hold.held("e", "node", clock.now());

        long sentAt = clock.now();
        millis.addAndGet(60_000);
        hold.renewed(sentAt);

        assertThat(hold.lockAgeNanos(clock.now()))
                .isEqualTo(Duration.ofMinutes(1).toNanos());
    }

    @Test
    void clocksThatDifferByLittleAreNoPause() {
        AtomicLong nanos = new AtomicLong();
        AtomicLong millis = new AtomicLong();
        LockClock clock = new LockClock(nanos::get, millis::get);

        for (int i = 0; i < 5_000; i++) {
            nanos.addAndGet(1_000);
            millis.addAndGet(1);
            clock.now();
        }

        assertThat(clock.now()).isEqualTo(nanos.get());
    }

    /** The clock stands for anything that may fail, as an allocation may. */
    @Test
    void whateverFailsTheGateIsNotLeftShutBehindNobody() {
        DefaultInFlightTracker tracker = new DefaultInFlightTracker();
        AtomicBoolean fails = new AtomicBoolean();
        LockClock clock = new LockClock(
                () -> {
                    if (fails.get()) {
                        throw new OutOfMemoryError("as good as any");
                    }
                    return 0;
                },
                () -> 0);
        OwnedEvents holds =
                new OwnedEvents(tracker, OwnedEvents.RESERVATION_GRACE, OwnedEvents.LONGEST_RESERVATION, clock);
        fails.set(true);

        assertThatThrownBy(() -> holds.reserve("written", null)).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> holds.acquire("read")).isInstanceOf(OutOfMemoryError.class);

        assertThat(tracker.tryAcquire("written")).isTrue();
        assertThat(tracker.tryAcquire("read")).isTrue();
    }
}
