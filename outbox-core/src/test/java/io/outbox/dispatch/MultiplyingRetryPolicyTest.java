package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MultiplyingRetryPolicyTest {

    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    @ParameterizedTest
    @CsvSource({"1, 10000", "2, 30000", "3, 90000", "4, 270000"})
    void multipliesTheDelayWithEveryAttempt(int attempts, long delayMs) {
        assertThat(new MultiplyingRetryPolicy(TEN_SECONDS, 3).computeDelayMs(attempts))
                .isEqualTo(delayMs);
    }

    @Test
    void takesAFractionAsMultiplier() {
        assertThat(new MultiplyingRetryPolicy(TEN_SECONDS, 1.5).computeDelayMs(3))
                .isEqualTo(22_500);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 1000, Integer.MAX_VALUE})
    void keepsTheDelayWithAMultiplierOfOne(int attempts) {
        assertThat(new MultiplyingRetryPolicy(TEN_SECONDS, 1).computeDelayMs(attempts))
                .isEqualTo(10_000);
    }

    @Test
    void treatsAttemptsBelowOneAsTheFirst() {
        RetryPolicy policy = new MultiplyingRetryPolicy(TEN_SECONDS, 3);

        assertThat(policy.computeDelayMs(0)).isEqualTo(10_000);
        assertThat(policy.computeDelayMs(Integer.MIN_VALUE)).isEqualTo(10_000);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1.0001, 2, 1e300, Double.MAX_VALUE})
    void growsToAYearAtMost(double multiplier) {
        RetryPolicy policy = new MultiplyingRetryPolicy(Duration.ofDays(300), multiplier);

        assertThat(policy.computeDelayMs(Integer.MAX_VALUE))
                .isEqualTo(Duration.ofDays(365).toMillis());
    }

    @ParameterizedTest
    @ValueSource(doubles = {Double.NaN, 0.999, 0, -3, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void refusesAMultiplierThatIsNoNumberOfAtLeastOne(double multiplier) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MultiplyingRetryPolicy(TEN_SECONDS, multiplier))
                .withMessageContaining("multiplier")
                .withMessageContaining(String.valueOf(multiplier));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 999_999, -1_000_000})
    void refusesADelayBelowAMillisecond(long nanos) {
        Duration delay = Duration.ofNanos(nanos);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new MultiplyingRetryPolicy(delay, 2))
                .withMessageContaining("delay")
                .withMessageContaining(delay.toString());
    }

    @Test
    void needsADelay() {
        assertThatNullPointerException()
                .isThrownBy(() -> new MultiplyingRetryPolicy(null, 2))
                .withMessageContaining("delay");
    }
}
