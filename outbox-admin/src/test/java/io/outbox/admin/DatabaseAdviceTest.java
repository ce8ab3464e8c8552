package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.StoreFigure;
import io.outbox.model.StoreFigure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DatabaseAdviceTest {

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<StoreFigure> figures = new ArrayList<>();
    private final DatabaseAdvice advice = new DatabaseAdvice(
            () -> {
                asked.incrementAndGet();
                return figures;
            },
            nanos::get);

    @Test
    void tellsWhatToDoAndNothingOfFiguresThatAreInOrder() {
        figures.add(new StoreFigure(Kind.DEAD_ROWS, 7, null));
        figures.add(new StoreFigure(Kind.OLDEST_TRANSACTION_SECONDS, 700, "End the transaction."));

        assertThat(advice.latest()).containsExactly("End the transaction.");
    }

    @Test
    void theDatabaseIsAskedOnceAMinuteHoweverManyLook() {
        advice.latest();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        advice.latest();
        assertThat(asked).hasValue(1);

        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        figures.add(new StoreFigure(Kind.DEAD_ROWS, 2e6, "Vacuum."));

        assertThat(advice.latest()).containsExactly("Vacuum.");
        assertThat(asked).hasValue(2);
    }
}
