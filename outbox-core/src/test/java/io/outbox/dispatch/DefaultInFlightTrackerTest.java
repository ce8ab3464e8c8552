package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.outbox.support.Race;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefaultInFlightTrackerTest {

    @Test
    void admitsAnEventOnceUntilItIsReleased() {
        InFlightTracker tracker = new DefaultInFlightTracker();

        assertThat(tracker.tryAcquire("a")).isTrue();
        assertThat(tracker.tryAcquire("a")).isFalse();
        assertThat(tracker.tryAcquire("b")).isTrue();
        tracker.release("a");
        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @Test
    void acceptsTheReleaseOfAnUnknownEvent() {
        InFlightTracker tracker = new DefaultInFlightTracker();

        tracker.release("a");

        assertThat(tracker.tryAcquire("a")).isTrue();
    }

    @Test
    void admitsOneOf8Threads() throws Exception {
        InFlightTracker tracker = new DefaultInFlightTracker();
        try (Race race = new Race(8)) {
            for (int round = 0; round < 2000; round++) {
                String id = "event-" + round % 3;

                List<Boolean> admitted = race.times(8, () -> tracker.tryAcquire(id));

                assertThat(admitted).containsOnlyOnce(true);
                tracker.release(id);
            }
        }
    }

    @Test
    void admitsAgainAfterTheTimeToLive() {
        InFlightTracker tracker = new DefaultInFlightTracker(50);
        long start = System.nanoTime();
        tracker.tryAcquire("a");

        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(2))
                .until(() -> tracker.tryAcquire("a"));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(50));
    }

    @Test
    void admitsOneOf8ThreadsPerTimeToLive() throws Exception {
        Duration ttl = Duration.ofMillis(100);
        InFlightTracker tracker = new DefaultInFlightTracker(ttl.toMillis());
        try (Race race = new Race(8)) {
            for (int round = 0; round < 10; round++) {
                String id = "event-" + round;
                tracker.tryAcquire(id);
                await().pollDelay(ttl.plusMillis(1)).until(() -> true);
                long start = System.nanoTime();

                List<Boolean> admitted = race.times(8, () -> tracker.tryAcquire(id));

                long lifetimes = (System.nanoTime() - start) / ttl.toNanos();
                assertThat(admitted).contains(true);
                assertThat(admitted.stream().filter(Boolean::booleanValue).count())
                        .isLessThanOrEqualTo(1 + lifetimes);
            }
        }
    }

    @Test
    void keepsEntriesForeverWithoutATimeToLive() {
        InFlightTracker tracker = new DefaultInFlightTracker(0);

        tracker.tryAcquire("a");

        assertThat(tracker.tryAcquire("a")).isFalse();
    }

    @Test
    void refusesANegativeTimeToLive() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DefaultInFlightTracker(-1))
                .withMessageContaining("ttlMs")
                .withMessageContaining("-1");
    }
}
