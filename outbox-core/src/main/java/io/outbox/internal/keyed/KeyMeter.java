package io.outbox.internal.keyed;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedPage.KeyedEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts what becomes of keys, by what the loop reads anyway: it asks the store nothing. Knows the last numbers that
 * this node has delivered, of a bounded number of keys, to recognise events that were committed late. Thread-safe.
 */
final class KeyMeter {

    private static final int MOST_KEYS = 10_000;

    private final EngineMetrics metrics;
    private final Map<String, Long> lastDone = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MOST_KEYS;
        }
    };

    /** The due time of the oldest head that the walk under way has seen, or {@code null}. For the loop's thread. */
    private Instant oldestSeen;
    /** That of the last complete walk. */
    private Instant oldest;

    KeyMeter(EngineMetrics metrics) {
        this.metrics = metrics;
        metrics.incrementKeyedClaims(0, 0);
        metrics.recordOldestKeyedLagMs(0);
    }

    /** Counts keys that were looked at. */
    void looked(int keys, KeyedPage page) {
        if (!metrics.isOff()) {
            int taken =
                    (int) page.events().stream().map(KeyedEvent::key).distinct().count();
            metrics.incrementKeyedClaims(taken, keys - taken);
        }
    }

    /**
     * Counts those of the events that come after one that was written later. A repeated attempt does not count again.
     */
    void taken(String key, List<KeyedEvent> events) {
        if (metrics.isOff()) {
            return;
        }
        Long last;
        synchronized (lastDone) {
            last = lastDone.get(key);
        }
        int late = 0;
        for (KeyedEvent event : events) {
            if (last != null && event.number() < last && event.row().event().attempts() == 0) {
                late++;
            }
        }
        if (late > 0) {
            metrics.incrementKeyedLate(late);
        }
    }

    /** Notes an event that was delivered. */
    void done(String key, long number) {
        if (!metrics.isOff()) {
            synchronized (lastDone) {
                lastDone.merge(key, number, Math::max);
            }
        }
    }

    /** Notes that a walk over all keys begins. */
    void walkBegins() {
        oldestSeen = null;
    }

    /** Notes the heads of keys that a walk has seen. */
    void seen(List<KeyHead> heads) {
        for (KeyHead head : heads) {
            if (!head.isParked() && (oldestSeen == null || head.availableAt().isBefore(oldestSeen))) {
                oldestSeen = head.availableAt();
            }
        }
    }

    /** Reports the oldest head of a complete walk. */
    void walkEnds(Instant now) {
        oldest = oldestSeen;
        reportLag(now);
    }

    /** Reports how old the oldest head is by now, as far as is known while a walk waits for room. */
    void reportLag(Instant now) {
        long lag = oldest == null ? 0 : Duration.between(oldest, now).toMillis();
        metrics.recordOldestKeyedLagMs(Math.max(0, lag));
    }
}
