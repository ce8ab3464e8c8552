package io.outbox.micrometer;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a query, asked again by the first who needs it after it has become too old. A failure is an answer too:
 * a store that is down is not asked by every gauge of a scrape.
 */
final class Cached<T> implements Supplier<T> {

    private final Supplier<T> query;
    private final long ttlNanos;
    private boolean answered;
    private @Nullable T answer;
    private @Nullable RuntimeException failure;
    private long answeredAt;

    Cached(Supplier<T> query, Duration ttl) {
        this.query = query;
        this.ttlNanos = ttl.toNanos();
    }

    @Override
    @SuppressWarnings("NullAway") // there is an answer unless there is a failure
    public synchronized T get() {
        if (!answered || System.nanoTime() - answeredAt >= ttlNanos) {
            ask();
        }
        if (failure != null) {
            throw failure;
        }
        return answer;
    }

    private void ask() {
        try {
            answer = query.get();
            failure = null;
        } catch (RuntimeException e) {
            answer = null;
            failure = e;
        }
        answered = true;
        answeredAt = System.nanoTime();
    }
}
