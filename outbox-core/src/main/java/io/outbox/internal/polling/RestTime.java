package io.outbox.internal.polling;

/**
 * How long a feed rests between looks: briefly after a look that found events, and twice as long after each that did
 * not, up to the interval. For the polling thread; others may note what they found.
 */
public final class RestTime {

    private final long shortestMs;
    private volatile long nextMs = Long.MAX_VALUE;

    /** @param shortestMs how long to rest after events were found */
    RestTime(long shortestMs) {
        this.shortestMs = shortestMs;
    }

    /** Notes that a look found events. */
    public void found() {
        nextMs = shortestMs;
    }

    /** Returns how long to rest now, and makes the next rest longer. */
    long next(long intervalMs) {
        return next(intervalMs, intervalMs);
    }

    /** As {@link #next(long)}, and for the whole interval once the rest would be longer than hints stay away. */
    long next(long intervalMs, long hintsStayAwayMs) {
        long restMs = nextMs > hintsStayAwayMs ? intervalMs : Math.min(nextMs, intervalMs);
        nextMs = restMs == intervalMs ? Long.MAX_VALUE : 2 * restMs;
        return restMs;
    }
}
