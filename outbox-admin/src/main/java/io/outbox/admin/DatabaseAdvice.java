package io.outbox.admin;

import io.outbox.model.StoreFigure;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What is wrong with the database below the outbox, and what to do; asked at most once a minute, whoever looks.
 * Thread-safe.
 */
final class DatabaseAdvice {

    private static final long GOOD_FOR_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Supplier<List<StoreFigure>> figures;
    private final LongSupplier nanoTime;
    private List<String> latest;
    private long askedAtNanos;

    DatabaseAdvice(Supplier<List<StoreFigure>> figures, LongSupplier nanoTime) {
        this.figures = figures;
        this.nanoTime = nanoTime;
    }

    synchronized List<String> latest() {
        long now = nanoTime.getAsLong();
        if (latest == null || now - askedAtNanos > GOOD_FOR_NANOS) {
            latest = figures.get().stream()
                    .map(StoreFigure::advice)
                    .filter(Objects::nonNull)
                    .toList();
            askedAtNanos = now;
        }
        return latest;
    }
}
