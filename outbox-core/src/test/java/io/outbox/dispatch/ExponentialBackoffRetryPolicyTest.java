package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExponentialBackoffRetryPolicyTest {

    private static final int SAMPLES = 2000;

    private final RetryPolicy policy = new ExponentialBackoffRetryPolicy(200, 60_000);

    @ParameterizedTest
    @CsvSource({"1, 200", "2, 400", "3, 800", "8, 25600", "9, 51200", "10, 60000", "11, 60000", "1000, 60000"})
    void doublesWithEveryAttemptUpToTheMaximum(int attempts, long nominal) {
        double sum = 0;
        for (int i = 0; i < SAMPLES; i++) {
            long delay = policy.computeDelayMs(attempts);
            assertThat(delay).isBetween(nominal / 2, nominal * 3 / 2);
            sum += delay;
        }
        assertThat(sum / SAMPLES).isBetween(nominal * 0.9, nominal * 1.1);
    }

    @Test
    void spreadsOverTheWholeRangeOfTheJitter() {
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < SAMPLES; i++) {
            long delay = policy.computeDelayMs(1);
            least = Math.min(least, delay);
            most = Math.max(most, delay);
        }

        assertThat(least).isLessThan(115);
        assertThat(most).isGreaterThan(285);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "200, 60000",
        "1, 9223372036854775807",
        "3, 4611686018427387904",
        "4611686018427387904, 9223372036854775807"
    })
    void neverOverflows(long base, long max) {
        RetryPolicy extreme = new ExponentialBackoffRetryPolicy(base, max);
        for (int attempts = 1; attempts <= 1000; attempts++) {
            assertThat(extreme.computeDelayMs(attempts)).isNotNegative();
        }
        assertThat(extreme.computeDelayMs(Integer.MAX_VALUE)).isNotNegative();
    }

    @Test
    void treatsAttemptsBelowOneAsTheFirst() {
        assertThat(policy.computeDelayMs(0)).isBetween(100L, 300L);
        assertThat(policy.computeDelayMs(-5)).isBetween(100L, 300L);
    }

    @Test
    void refusesBadDelays() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(0, 10))
                .withMessageContaining("baseDelayMs")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(-7, 10))
                .withMessageContaining("-7");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExponentialBackoffRetryPolicy(200, 199))
                .withMessageContaining("maxDelayMs")
                .withMessageContaining("199");
    }

    @Test
    void hasTheDocumentedDefaults() {
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS).isEqualTo(200);
        assertThat(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS).isEqualTo(60_000);
    }
}
