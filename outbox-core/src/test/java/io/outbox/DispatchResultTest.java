package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DispatchResultTest {

    @Test
    void hasAFactoryForEachResult() {
        assertThat(DispatchResult.done()).isEqualTo(new DispatchResult.Done());
        assertThat(DispatchResult.retryAfter(Duration.ofSeconds(3)).delay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(DispatchResult.dead().reason()).isNull();
        assertThat(DispatchResult.dead("rejected").reason()).isEqualTo("rejected");
    }

    @Test
    void isSealedToThreeResults() {
        assertThat(DispatchResult.class.getPermittedSubclasses())
                .containsExactlyInAnyOrder(
                        DispatchResult.Done.class, DispatchResult.RetryAfter.class, DispatchResult.Dead.class);
    }

    @Test
    void refusesABadDelay() {
        assertThat(DispatchResult.retryAfter(Duration.ZERO).delay()).isZero();
        assertThatNullPointerException()
                .isThrownBy(() -> DispatchResult.retryAfter(null))
                .withMessageContaining("delay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DispatchResult.retryAfter(Duration.ofMillis(-1)))
                .withMessageContaining("delay")
                .withMessageContaining("PT-0.001S");
    }

    @Test
    void anOutcomeOfABatchGivesItsResultOrThrowsItsFailure() throws Exception {
        IOException checked = new IOException("x");
        Error error = new StackOverflowError();

        assertThat(BatchOutcome.done().resultOrThrow()).isEqualTo(DispatchResult.done());
        assertThat(BatchOutcome.of(DispatchResult.dead("r")).resultOrThrow()).isEqualTo(DispatchResult.dead("r"));
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> BatchOutcome.failed(checked).resultOrThrow())
                .isSameAs(checked);
        assertThatExceptionOfType(StackOverflowError.class)
                .isThrownBy(() -> BatchOutcome.failed(error).resultOrThrow())
                .isSameAs(error);
        assertThatNullPointerException().isThrownBy(() -> BatchOutcome.of(null));
        assertThatNullPointerException().isThrownBy(() -> BatchOutcome.failed(null));
    }

    @Test
    void aBatchListenerTakesASingleEventAsABatchOfOne() throws Exception {
        EventEnvelope event = EventEnvelope.ofJson("A", "{}");
        BatchEventListener listener = events -> {
            assertThat(events).containsExactly(event);
            return List.of(BatchOutcome.of(DispatchResult.dead("x")));
        };
        BatchEventListener silent = events -> List.of();

        assertThat(listener.onEvent(event)).isEqualTo(DispatchResult.dead("x"));
        assertThat(listener.maxBatchSize()).isEqualTo(BatchEventListener.DEFAULT_MAX_BATCH_SIZE);
        assertThatIllegalStateException().isThrownBy(() -> silent.onEvent(event));
    }
}
