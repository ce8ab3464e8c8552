package io.outbox.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchOutcome;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BatchAnswersTest {

    private static final class Receipts extends BatchAnswers {
        Receipts(int events, Duration timeout) {
            super(events, timeout, "received");
        }
    }

    @Test
    void theFirstOutcomeOfAnEventCounts() {
        Receipts receipts = new Receipts(2, Duration.ofMinutes(1));

        assertThat(receipts.settle(0, BatchOutcome.done())).isTrue();
        assertThat(receipts.settle(0, BatchOutcome.failed(new IllegalStateException())))
                .isFalse();

        RecoverableException failure = new RecoverableException("refused");
        assertThat(receipts.outcome(0)).isEqualTo(BatchOutcome.done());
        assertThat(receipts.outcome(1)).isNull();
        assertThat(receipts.outcomes(failure)).containsExactly(BatchOutcome.done(), BatchOutcome.failed(failure));
        assertThat(receipts.isOverdue()).isFalse();
        assertThat(receipts.nanosLeft()).isPositive();
    }

    @Test
    void noAnswerInTimeIsAnOutage() {
        Receipts receipts = new Receipts(1, Duration.ZERO);

        assertThat(receipts.isOverdue()).isTrue();
        assertThat(receipts.nanosLeft()).isZero();
        assertThat(receipts.outcomes())
                .singleElement()
                .isInstanceOfSatisfying(
                        BatchOutcome.Failed.class,
                        failed -> assertThat(failed.error())
                                .isInstanceOf(RouteUnavailableException.class)
                                .hasMessage("not received within the emergency timeout of 0ms"));
    }

    @Test
    void anAnswerIsReported() {
        AtomicInteger answers = new AtomicInteger();
        Receipts receipts = new Receipts(1, Duration.ofMinutes(1));
        receipts.answered();
        receipts.whenAnswered(answers::incrementAndGet);
        receipts.answered();

        assertThat(answers).hasValue(1);
    }
}
