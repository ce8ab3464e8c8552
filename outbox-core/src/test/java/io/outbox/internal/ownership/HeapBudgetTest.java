package io.outbox.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.ownership.HeapBudget.Share;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeapBudgetTest {

    private static final long TOTAL = 120;
    private static final long ONE = 1;

    private final HeapBudget budget = new HeapBudget(TOTAL);

    private Share share() {
        return budget.share(() -> {});
    }

    /** Takes as many bytes as a share gives, one by one. */
    private static long takeAll(Share share) {
        long taken = 0;
        while (share.take(ONE)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aloneALaneGetsHalf() {
        assertThat(takeAll(share())).isEqualTo(60);
    }

    @Test
    void twoGreedyLanesLeaveAThirdToTheNext() {
        Share first = share();
        Share second = share();
        long taken = 0;
        while (first.take(ONE) | second.take(ONE)) {
            taken++;
        }

        assertThat(taken).isEqualTo(40);
        assertThat(share().room()).isEqualTo(40);
    }

    @Test
    void aLaneThatHoldsNothingTakesOneHoweverLargeAndHoweverFullTheHeapIs() {
        Share greedy = share();
        assertThat(greedy.take(1_000)).isTrue();
        Share other = share();

        assertThat(greedy.take(ONE)).isFalse();
        assertThat(other.room()).isPositive();
        assertThat(other.take(1_000)).isTrue();
        assertThat(other.take(ONE)).isFalse();
    }

    @Test
    void reservationsLeaveAPartOfTheShareToEventsThatWaitInTheStore() {
        Share share = share();
        int reserved = 0;
        while (share.reserve(ONE, 1_000)) {
            reserved++;
        }

        assertThat(reserved).isEqualTo(40);
        assertThat(takeAll(share)).isEqualTo(20);
    }

    @Test
    void reservationsCountAgainstThePlaces() {
        Share share = share();

        assertThat(share.reserve(ONE, 2)).isTrue();
        assertThat(share.reserve(ONE, 2)).isTrue();
        assertThat(share.reserve(ONE, 2)).isFalse();
        share.leavePlace();
        assertThat(share.reserve(ONE, 2)).isTrue();
        assertThat(share.reserved()).isEqualTo(2);
    }

    @Test
    void whoeverWaitsForRoomIsCalledOnceAnotherLaneHasGivenEnoughBack() {
        AtomicInteger calls = new AtomicInteger();
        Share waiting = budget.share(calls::incrementAndGet);
        waiting.take(ONE);
        Share greedy = share();
        greedy.take(TOTAL);

        assertThat(waiting.requestRoom()).isFalse();
        greedy.giveBack(1);
        assertThat(calls).hasValue(0);
        greedy.giveBack(TOTAL / 2);
        assertThat(calls).hasValue(1);
        greedy.giveBack(1);
        assertThat(calls).hasValue(1);
        assertThat(waiting.requestRoom()).isTrue();
    }

    @Test
    void aHoldGivesItsRoomBackOnce() {
        Share share = share();
        Hold hold = Hold.reserved("e", null, 0);
        assertThat(hold.reserveRoom(share, 50, 1)).isTrue();
        assertThat(hold.takeRoom(share, 50)).isTrue();
        assertThat(share.room()).isEqualTo(TOTAL - 100);

        hold.leavePlace();
        hold.leaveRoom();
        hold.leaveRoom();

        assertThat(share.room()).isEqualTo(TOTAL);
        assertThat(share.reserved()).isZero();
    }

    @Test
    void aHoldWhoseEventIsGoneKeepsTheRoomOfTheHoldUntilItEnds() {
        HeapBudget large = new HeapBudget(1 << 20);
        Share share = large.share(() -> {});
        Hold hold = Hold.reserved("e", null, 0);
        assertThat(hold.reserveRoom(share, 100_000, 1)).isTrue();

        hold.leaveContent();
        hold.leaveContent();

        assertThat(share.room()).isEqualTo((1 << 20) - 2 * HeldEvent.OBJECTS_BYTES);
        assertThat(share.reserved()).isZero();
        hold.leaveRoom();
        assertThat(share.room()).isEqualTo(1 << 20);
    }
}
