package io.outbox.inbox;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** Keeps what was counted. */
final class CountingMetrics implements InboxMetrics {

    private final Map<String, Long> counts = new ConcurrentSkipListMap<>();

    /** Returns the counters that are not zero. */
    Map<String, Long> counts() {
        return counts;
    }

    private void add(String counter, long count) {
        counts.merge(counter, count, Long::sum);
    }

    @Override
    public void incrementConsumed(long count) {
        add("consumed", count);
    }

    @Override
    public void incrementDuplicated(long count) {
        add("duplicated", count);
    }

    @Override
    public void incrementFailed(long count) {
        add("failed", count);
    }

    @Override
    public void incrementCleaned(long count) {
        add("cleaned", count);
    }

    @Override
    public void incrementCacheHit(long count) {
        add("cache-hit", count);
    }

    @Override
    public void incrementCacheMiss(long count) {
        add("cache-miss", count);
    }
}
