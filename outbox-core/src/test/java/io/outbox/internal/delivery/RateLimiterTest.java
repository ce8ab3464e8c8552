package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.outbox.support.Race;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RateLimiterTest {

    private static Duration timed(Acquisition acquisition) throws InterruptedException {
        long start = System.nanoTime();
        acquisition.run();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private interface Acquisition {
        void run() throws InterruptedException;
    }

    @Test
    void letsTheFirstEventPassAtOnce() throws Exception {
        RateLimiter limiter = new RateLimiter(1);

        assertThat(timed(() -> limiter.acquire(1))).isLessThan(Duration.ofMillis(900));
    }

    @Test
    void spacesEventsEvenly() throws Exception {
        RateLimiter limiter = new RateLimiter(50);

        Duration took = timed(() -> {
            for (int i = 0; i < 21; i++) {
                limiter.acquire(1);
            }
        });

        assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(400));
    }

    @Test
    void makesTheNextWaitForAllEventsOfABatch() throws Exception {
        RateLimiter limiter = new RateLimiter(100);

        limiter.acquire(30);

        assertThat(timed(() -> limiter.acquire(1))).isGreaterThanOrEqualTo(Duration.ofMillis(250));
    }

    @Test
    void doesNotSaveUpWhatWasNotUsed() throws Exception {
        RateLimiter limiter = new RateLimiter(20);
        limiter.acquire(1);
        await().pollDelay(Duration.ofMillis(300)).until(() -> true);

        Duration took = timed(() -> {
            for (int i = 0; i < 5; i++) {
                limiter.acquire(1);
            }
        });

        assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(200));
    }

    @Test
    void limitsAllThreadsTogether() throws Exception {
        RateLimiter limiter = new RateLimiter(100);
        try (Race race = new Race(4)) {
            Duration took = timed(() -> acquireOnFourThreads(race, limiter));

            assertThat(took).isGreaterThanOrEqualTo(Duration.ofMillis(390));
        }
    }

    private static void acquireOnFourThreads(Race race, RateLimiter limiter) {
        try {
            race.times(4, () -> {
                for (int i = 0; i < 10; i++) {
                    limiter.acquire(1);
                }
                return null;
            });
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void isNoLimitBeyondWhatAClockCanTell() throws Exception {
        RateLimiter limiter = new RateLimiter(Integer.MAX_VALUE);

        assertThat(timed(() -> limiter.acquire(Integer.MAX_VALUE))).isLessThan(Duration.ofSeconds(1));
        assertThat(timed(() -> limiter.acquire(1))).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void endsTheWaitOnAnInterrupt() throws Exception {
        RateLimiter limiter = new RateLimiter(1);
        limiter.acquire(3600);

        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> limiter.acquire(1));
        assertThat(Thread.interrupted()).isFalse();
    }
}
