package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryPolicyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final RetryPolicy BY_SECONDS = RetryPolicy.linear(SECOND, MINUTE);

    private static void assertRetries(RetryPolicy policy, Throwable error) {
        assertThat(policy.retryDelay(3, error)).as(error.toString()).contains(Duration.ofSeconds(3));
    }

    private static void assertEnds(RetryPolicy policy, Throwable error) {
        assertThat(policy.retryDelay(3, error)).as(error.toString()).isEmpty();
    }

    @Nested
    class Delay {

        @ParameterizedTest
        @ValueSource(ints = {1, 2, 100, Integer.MAX_VALUE})
        void isAlwaysTheSameIfFixed(int attempts) {
            assertThat(RetryPolicy.fixed(SECOND).computeDelayMs(attempts)).isEqualTo(1000);
        }

        @ParameterizedTest
        @CsvSource({"1, 1000", "2, 2000", "59, 59000", "60, 60000", "61, 60000", "2147483647, 60000", "0, 1000"})
        void growsByOneStepUpToTheMaximumIfLinear(int attempts, long expected) {
            assertThat(BY_SECONDS.computeDelayMs(attempts)).isEqualTo(expected);
        }

        @Test
        void endsAtAMaximumThatIsNoMultipleOfTheStep() {
            RetryPolicy policy = RetryPolicy.linear(Duration.ofMillis(400), SECOND);

            assertThat(policy.computeDelayMs(2)).isEqualTo(800);
            assertThat(policy.computeDelayMs(3)).isEqualTo(1000);
        }

        @ParameterizedTest
        @CsvSource({"1, 1000", "2, 2000", "4, 8000", "100, 60000"})
        void doublesWithJitterIfExponential(int attempts, long middle) {
            assertThat(RetryPolicy.exponential(SECOND, MINUTE).computeDelayMs(attempts))
                    .isBetween(middle / 2, middle * 3 / 2);
        }

        @Test
        void doesNotDependOnTheErrorWithoutRules() {
            assertRetries(BY_SECONDS, new IOException());
            assertRetries(BY_SECONDS, new StackOverflowError());
        }

        @Test
        void isNeverNegativeWhateverALambdaSays() {
            RetryPolicy policy = attempts -> -5;

            assertThat(policy.retryDelay(1, new IOException())).contains(Duration.ZERO);
        }

        @Test
        void isCheckedWithNameRuleAndValue() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RetryPolicy.fixed(Duration.ZERO))
                    .withMessage("delay must be at least 1 ms and at most 10 years: PT0S");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RetryPolicy.fixed(Duration.ofSeconds(Long.MAX_VALUE)))
                    .withMessageStartingWith("delay must be at least 1 ms");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RetryPolicy.linear(Duration.ofMillis(-1), SECOND))
                    .withMessageStartingWith("step must be");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> RetryPolicy.linear(SECOND, Duration.ofMillis(999)))
                    .withMessage("max must not be less than step 1000 ms: 999 ms");
            assertThatIllegalArgumentException().isThrownBy(() -> RetryPolicy.exponential(MINUTE, SECOND));
            assertThatNullPointerException()
                    .isThrownBy(() -> RetryPolicy.fixed(null))
                    .withMessage("delay");
            assertThatNullPointerException()
                    .isThrownBy(() -> RetryPolicy.exponential(SECOND, null))
                    .withMessage("max");
        }
    }

    @Nested
    class Rule {

        @Test
        void neverOnEndsOnItsTypeAndSubtypesOnly() {
            RetryPolicy policy = BY_SECONDS.neverOn(IOException.class);

            assertEnds(policy, new IOException());
            assertEnds(policy, new FileNotFoundException());
            assertRetries(policy, new IllegalStateException());
            assertRetries(policy, new Exception());
        }

        @Test
        void retryOnEndsOnEverythingElse() {
            RetryPolicy policy = BY_SECONDS.retryOn(IOException.class);

            assertRetries(policy, new IOException());
            assertRetries(policy, new FileNotFoundException());
            assertEnds(policy, new IllegalStateException());
            assertEnds(policy, new StackOverflowError());
        }

        @Test
        void retryOnAddsUp() {
            RetryPolicy policy = BY_SECONDS.retryOn(IOException.class).retryOn(IllegalStateException.class);

            assertRetries(policy, new IOException());
            assertRetries(policy, new IllegalStateException());
            assertEnds(policy, new IllegalArgumentException());
        }

        @Test
        void delayOnPutsAnotherPolicyInCharge() {
            RetryPolicy policy = BY_SECONDS.delayOn(IOException.class, RetryPolicy.fixed(MINUTE));

            assertThat(policy.retryDelay(3, new SocketTimeoutException())).contains(MINUTE);
            assertRetries(policy, new IllegalStateException());
        }

        @Test
        void delayOnIsAmongWhatIsRetried() {
            RetryPolicy policy = BY_SECONDS
                    .retryOn(IllegalStateException.class)
                    .delayOn(IOException.class, RetryPolicy.fixed(MINUTE));

            assertThat(policy.retryDelay(3, new IOException())).contains(MINUTE);
            assertRetries(policy, new IllegalStateException());
            assertEnds(policy, new IllegalArgumentException());
        }

        @Test
        void forTheMostSpecificTypeDecidesInAnyOrder() {
            RetryPolicy narrowLast = BY_SECONDS
                    .neverOn(IOException.class)
                    .delayOn(SocketTimeoutException.class, RetryPolicy.fixed(MINUTE));
            RetryPolicy narrowFirst = BY_SECONDS
                    .delayOn(SocketTimeoutException.class, RetryPolicy.fixed(MINUTE))
                    .neverOn(IOException.class);

            for (RetryPolicy policy : new RetryPolicy[] {narrowLast, narrowFirst}) {
                assertThat(policy.retryDelay(3, new SocketTimeoutException())).contains(MINUTE);
                assertEnds(policy, new FileNotFoundException());
                assertRetries(policy, new IllegalStateException());
            }
        }

        @Test
        void neverOnIsAnExceptionFromRetryOn() {
            RetryPolicy policy = BY_SECONDS.retryOn(IOException.class).neverOn(FileNotFoundException.class);

            assertRetries(policy, new SocketTimeoutException());
            assertEnds(policy, new FileNotFoundException());
        }

        @Test
        void holdsForACauseIfThereIsNoneForTheException() {
            Throwable wrapped = new CompletionException(new UncheckedIOException(new SocketTimeoutException()));

            assertRetries(BY_SECONDS.retryOn(IOException.class), wrapped);
            assertEnds(BY_SECONDS.neverOn(SocketTimeoutException.class), wrapped);
        }

        @Test
        void forTheExceptionComesBeforeOneForItsCause() {
            RetryPolicy policy = BY_SECONDS
                    .neverOn(UncheckedIOException.class)
                    .delayOn(IOException.class, RetryPolicy.fixed(MINUTE));

            assertEnds(policy, new UncheckedIOException(new IOException()));
            assertThat(policy.retryDelay(3, new RuntimeException(new IOException())))
                    .contains(MINUTE);
        }

        @Test
        void isSoughtNotForEverIfCausesGoRound() {
            Exception outer = new Exception();
            outer.initCause(new Exception(outer));

            assertRetries(BY_SECONDS.neverOn(IOException.class), outer);
            assertEnds(BY_SECONDS.retryOn(IOException.class), outer);
        }

        @Test
        void canBeNested() {
            RetryPolicy timeouts = RetryPolicy.fixed(MINUTE).neverOn(SocketTimeoutException.class);
            RetryPolicy policy = BY_SECONDS.delayOn(IOException.class, timeouts);

            assertThat(policy.retryDelay(3, new IOException())).contains(MINUTE);
            assertEnds(policy, new SocketTimeoutException());
        }

        @Test
        void leavesThePolicyThatItIsAddedToAsItIs() {
            RetryPolicy policy = BY_SECONDS.neverOn(IOException.class);

            policy.neverOn(IllegalStateException.class);
            policy.retryOn(IllegalArgumentException.class);

            assertRetries(BY_SECONDS, new IOException());
            assertRetries(policy, new IllegalStateException());
        }

        @Test
        void canBeAddedToAPolicyOfTheApplication() {
            RetryPolicy own = attempts -> attempts * 1000L;

            assertRetries(own.neverOn(IOException.class), new Exception());
            assertEnds(own.neverOn(IOException.class), new IOException());
            assertThat(own.neverOn(IOException.class).computeDelayMs(3)).isEqualTo(3000);
        }

        @Test
        void asksAPolicyOfTheApplicationWithTheError() {
            RetryPolicy own = new RetryPolicy() {
                @Override
                public long computeDelayMs(int attempts) {
                    return 1;
                }

                @Override
                public Optional<Duration> retryDelay(int attempts, Throwable error) {
                    return Optional.of(Duration.ofDays(error.getMessage().length()));
                }
            };

            assertThat(own.neverOn(IOException.class).retryDelay(1, new Exception("four")))
                    .contains(Duration.ofDays(4));
        }

        @Test
        void isTheOnlyOneForItsType() {
            RetryPolicy policy = BY_SECONDS.neverOn(IOException.class);

            assertThatIllegalStateException()
                    .isThrownBy(() -> policy.retryOn(IOException.class))
                    .withMessage("There is a rule for java.io.IOException already");
            assertThatNullPointerException()
                    .isThrownBy(() -> policy.neverOn(null))
                    .withMessage("type");
            assertThatNullPointerException()
                    .isThrownBy(() -> policy.delayOn(Exception.class, null))
                    .withMessage("policy");
        }
    }

    @Test
    void policiesSayInWordsHowLongTheyWait() {
        Duration second = Duration.ofSeconds(1);

        assertThat(RetryPolicy.fixed(Duration.ofMillis(1500)).describe()).isEqualTo("1.5 s each");
        assertThat(RetryPolicy.linear(second, Duration.ofMinutes(5)).describe())
                .isEqualTo("1 s more each time, up to 5 min");
        assertThat(RetryPolicy.exponential(Duration.ofMillis(200), Duration.ofMinutes(1))
                        .describe())
                .isEqualTo("about 200 ms, doubled each time, up to 60 s");
        assertThat(new MultiplyingRetryPolicy(second, 2.5).describe()).isEqualTo("1 s, times 2.5 each time");
        assertThat(RetryPolicy.fixed(second)
                        .neverOn(IllegalStateException.class)
                        .describe())
                .isEqualTo("1 s each; others for some errors");
        assertThat(new Own().describe()).isEqualTo("delays of Own");
    }

    private static final class Own implements RetryPolicy {

        @Override
        public long computeDelayMs(int attempts) {
            return attempts;
        }
    }
}
