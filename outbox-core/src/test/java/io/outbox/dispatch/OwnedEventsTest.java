package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.OwnedEvents.Hold;
import io.outbox.support.Race;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** The rules of the ownership protocol, one by one, and the races between them. */
class OwnedEventsTest {

    private static final int ROUNDS = 5000;

    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());

    @Test
    void anEventHasOneHolderUntilItsHoldIsClosed() {
        Hold hold = owned.acquire("e");

        assertThat(hold).isNotNull();
        assertThat(hold.eventId).isEqualTo("e");
        assertThat(hold.ownerId()).isNull();
        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.size()).isEqualTo(1);
        assertThat(owned.close(hold)).isNull();
        assertThat(owned.size()).isZero();
        assertThat(owned.acquire("e")).isNotNull();
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
        owned.reserve("e", null);

        assertThat(owned.acquire("e")).isNull();
        Hold confirmed = owned.confirm("e");
        assertThat(confirmed).isNotNull();
        assertThat(owned.confirm("e")).isNull();
        assertThat(owned.acquire("e")).isNull();
        assertThat(owned.wasStolen("e")).isFalse();
        owned.close(confirmed);
        assertThat(owned.size()).isZero();
    }

    @Test
    void anEventThatIsHeldCannotBeReserved() {
        Hold hold = owned.acquire("e");

        owned.reserve("e", "node");

        assertThat(owned.confirm("e")).isNull();
        owned.close(hold);
        assertThat(owned.size()).isZero();
    }

    @Test
    void anEventThatWasNotReservedCannotBeConfirmed() {
        assertThat(owned.confirm("e")).isNull();
    }

    @Test
    void aReservationKeepsItsOwner() {
        owned.reserve("e", "node");

        assertThat(owned.confirm("e").ownerId()).isEqualTo("node");
    }

    @Test
    void aReservationThatWasClaimedInTheStoreIsTakenOverAndItsWriterTurnedAway() {
        owned.reserve("e", "node");

        Hold claimed = owned.acquireClaimed("e", "node");

        assertThat(claimed).isNotNull();
        assertThat(owned.confirm("e")).isNull();
        assertThat(owned.wasStolen("e")).isTrue();
        assertThat(owned.wasStolen("e")).isFalse();
        assertThat(owned.close(claimed)).isNull();
        assertThat(owned.size()).isZero();
    }

    @Test
    void writerAndClaimantNeverBothGetAReservedEvent() throws Exception {
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                owned.reserve(id, "node");

                List<Hold> holds = race.both(() -> owned.confirm(id), () -> owned.acquireClaimed(id, "node"));

                Hold written = holds.get(0);
                Hold claimed = holds.get(1);
                assertThat(written == null).as("round %d", round).isNotEqualTo(claimed == null);
                assertThat(owned.wasStolen(id)).as("round %d", round).isEqualTo(claimed != null);
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
                owned.reserve(id, null);

                List<Hold> holds = race.both(() -> owned.confirm(id), () -> owned.acquire(id));

                assertThat(holds.get(0)).as("round %d", round).isNotNull();
                assertThat(holds.get(1)).as("round %d", round).isNull();
                owned.close(holds.get(0));
            }
        }
        assertThat(owned.size()).isZero();
    }

    @Test
    void aReservationWhoseWriterStaysAwayIsTakenOverOnceTheGraceIsOver() {
        OwnedEvents impatient = new OwnedEvents(new DefaultInFlightTracker(), Duration.ofMillis(50));
        impatient.reserve("e", null);
        assertThat(impatient.acquire("e")).as("seen for the first time").isNull();

        Hold taken = await().atMost(Duration.ofSeconds(10)).until(() -> impatient.acquire("e"), Objects::nonNull);

        assertThat(impatient.acquire("e")).isNull();
        assertThat(impatient.confirm("e")).as("the writer comes late").isNull();
        assertThat(impatient.wasStolen("e")).isTrue();
        assertThat(impatient.close(taken)).isNull();
        assertThat(impatient.size()).isZero();
    }

    @Test
    void theGraceBeginsWhenTheRowIsSeenNotWhenItIsReserved() {
        OwnedEvents patient = new OwnedEvents(new DefaultInFlightTracker(), Duration.ofMillis(500));
        patient.reserve("e", null);
        await().pollDelay(Duration.ofMillis(600)).until(() -> true);

        assertThat(patient.acquire("e"))
                .as("a long transaction has just committed")
                .isNull();
        assertThat(patient.confirm("e")).isNotNull();
        assertThat(patient.wasStolen("e")).isFalse();
    }

    @Test
    void writerAndPollerNeverBothGetAReservationThatIsOverdue() throws Exception {
        OwnedEvents hasty = new OwnedEvents(new DefaultInFlightTracker(), Duration.ZERO);
        try (Race race = new Race(2)) {
            for (int round = 0; round < ROUNDS; round++) {
                String id = "e" + round;
                hasty.reserve(id, null);

                List<Hold> holds = race.both(() -> hasty.confirm(id), () -> hasty.acquire(id));

                Hold written = holds.get(0);
                Hold taken = holds.get(1);
                assertThat(written == null).as("round %d", round).isNotEqualTo(taken == null);
                assertThat(hasty.wasStolen(id)).as("round %d", round).isEqualTo(taken != null);
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
        Hold hold = owned.acquireClaimed("e", "node");

        assertThat(hold.ownerId()).isEqualTo("node");
        assertThat(owned.acquire("e")).isNull();
    }

    @Test
    void aClaimOnAHeldEventIsGivenBackByWhoeverClosesTheHold() {
        Hold hold = owned.acquireClaimed("e", "node");

        assertThat(owned.acquireClaimed("e", "node")).isNull();
        Hold unwanted = owned.close(hold);

        assertThat(unwanted).isNotNull();
        assertThat(unwanted.ownerId()).isEqualTo("node");
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
                Hold former = owned.acquireClaimed(id, "node");

                List<Hold> holds = race.both(() -> owned.close(former), () -> owned.acquireClaimed(id, "node"));

                assertThat(holds)
                        .as("round %d", round)
                        .filteredOn(Objects::nonNull)
                        .hasSize(1);
                assertThat(owned.size()).as("round %d", round).isEqualTo(1);
                Hold current = holds.get(0) != null ? holds.get(0) : holds.get(1);
                assertThat(current.ownerId()).isEqualTo("node");
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
                Hold former = owned.acquireClaimed(id, "node");
                owned.acquireClaimed(id, "node");

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
        Hold locked = owned.acquireClaimed("locked", "node");

        assertThat(owned.lockedLongerThan(0)).containsExactly(locked);
        assertThat(owned.lockedLongerThan(Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void renewalRestartsTheAgeOfALock() {
        Hold hold = owned.acquireClaimed("e", "node");

        hold.renewed(System.nanoTime() - 1_000_000_000L);
        assertThat(hold.lockAgeNanos()).isGreaterThanOrEqualTo(1_000_000_000L);
        hold.renewed(System.nanoTime());
        assertThat(hold.lockAgeNanos()).isLessThan(1_000_000_000L);
    }

    @Test
    void aLockIsLostOnceAndNotAfterTheEnd() {
        Hold hold = owned.acquireClaimed("e", "node");

        assertThat(hold.isLost()).isFalse();
        assertThat(hold.lost()).isTrue();
        assertThat(hold.lost()).isFalse();
        assertThat(hold.isLost()).isTrue();

        Hold ended = owned.acquireClaimed("f", "node");
        owned.close(ended);
        assertThat(ended.lost()).isFalse();
    }

    @Test
    void aLostLockIsHeldAgainOnceItIsClaimedAgain() {
        Hold hold = owned.acquireClaimed("e", "node");
        hold.lost();

        owned.acquireClaimed("e", "node");

        assertThat(hold.isLost()).isFalse();
    }

    private void closeAll(Hold hold, boolean claimPending) {
        Hold unwanted = owned.close(hold);
        assertThat(unwanted != null).isEqualTo(claimPending);
        if (unwanted != null) {
            assertThat(owned.close(unwanted)).isNull();
        }
    }
}
