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

    private Hold claim() {
        return owned.acquireClaimed("event", "node", System.nanoTime(), new Patience());
    }

    private DeliveryBackend claimedDuringTheFirstRelease() {
        return (DeliveryBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DeliveryBackend.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("supports")) {
                        return true;
                    }
                    if (releases.incrementAndGet() == 1) {
                        claim();
                    }
                    return 1;
                });
    }

    private Alarm claimingWhenCalled() {
        return (Alarm) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Alarm.class}, (proxy, method, arguments) -> {
                    if (claim() != null) {
                        taken.incrementAndGet();
                    }
                    return null;
                });
    }
}
