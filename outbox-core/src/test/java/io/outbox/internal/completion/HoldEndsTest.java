package io.outbox.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Patience;
import io.outbox.internal.polling.Alarm;
import io.outbox.spi.DeliveryBackend;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** How events are given back while the poller claims them. */
class HoldEndsTest {

    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final AtomicInteger releases = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final HoldEnds ends =
            new HoldEnds(claimedDuringTheFirstRelease(), owned, new Signal(), claimingWhenCalled());

    /** The release frees the row also of the claim that came in between, so the next claim finds the event at once. */
    @Test
    void aClaimThatMeetsAReleaseDoesNotMeetTheNextOnesToo() {
        ends.giveBack(claim());

        for (int round = 0; round < 10 && taken.get() == 0; round++) {
            ends.releases().takeInHand();
            ends.release();
        }

        assertThat(taken).as("claims that found nobody holding the event").hasValue(1);
        assertThat(releases).hasValue(2);
    }

    /**
     * After an outage there are many holders, and a store whose connections go on breaking answers a few calls in a
     * row.
     */
    @Test
    void whatIsReleasedStaysSoWhenTheStoreFailsThen() {
        int holders = 10;
        HoldEnds breaking = new HoldEnds(failingEveryThirdTime(), owned, new Signal(), calling(() -> {}));
        for (int i = 0; i < holders; i++) {
            breaking.giveBack(owned.acquireClaimed("event" + i, "node." + i, System.nanoTime(), new Patience()));
        }
        breaking.releases().takeInHand();

        for (int round = 0; round < holders && owned.size() > 0; round++) {
            try {
                breaking.release();
            } catch (IllegalStateException failure) {
                assertThat(failure).hasMessage("connection reset");
            }
        }

        assertThat(owned.size()).as("events that nobody could deliver").isZero();
        assertThat(releases).as("calls").hasValue(holders + holders / 2 - 1);
    }

    private Hold claim() {
        return owned.acquireClaimed("event", "node", System.nanoTime(), new Patience());
    }

    private DeliveryBackend failingEveryThirdTime() {
        return releasing(number -> {
            if (number % 3 == 0) {
                throw new IllegalStateException("connection reset");
            }
        });
    }

    private DeliveryBackend claimedDuringTheFirstRelease() {
        return releasing(number -> {
            if (number == 1) {
                claim();
            }
        });
    }

    private DeliveryBackend releasing(IntConsumer release) {
        return (DeliveryBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DeliveryBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("supports")) {
                        return true;
                    }
                    release.accept(releases.incrementAndGet());
                    return 1;
                });
    }

    private Alarm claimingWhenCalled() {
        return calling(() -> {
            if (claim() != null) {
                taken.incrementAndGet();
            }
        });
    }

    private Alarm calling(Runnable action) {
        return (Alarm) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Alarm.class}, (proxy, method, arguments) -> {
                    action.run();
                    return null;
                });
    }
}
