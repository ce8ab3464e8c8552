package io.outbox.dispatch;

import io.outbox.spi.Limits;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * An {@link InFlightTracker} in memory. With a time to live, an entry that old may be acquired again; choose it longer
 * than any listener runs, or the event is delivered twice.
 */
public final class DefaultInFlightTracker implements InFlightTracker {

    private static final long NO_TTL = 0;

    private final ConcurrentMap<String, Long> acquiredAt = new ConcurrentHashMap<>();
    private final long ttlNanos;

    /** Creates a tracker whose entries stay until released. */
    public DefaultInFlightTracker() {
        this.ttlNanos = NO_TTL;
    }

    /** Creates a tracker whose entries may be acquired again after {@code ttlMs}; 0 means never. */
    public DefaultInFlightTracker(long ttlMs) {
        Limits.notNegative(ttlMs, "ttlMs");
        this.ttlNanos = TimeUnit.MILLISECONDS.toNanos(ttlMs);
    }

    @Override
    public boolean tryAcquire(String eventId) {
        Long now = System.nanoTime();
        Long since = acquiredAt.putIfAbsent(eventId, now);
        if (since == null) {
            return true;
        }
        return ttlNanos != NO_TTL && now - since >= ttlNanos && acquiredAt.replace(eventId, since, now);
    }

    @Override
    public void release(String eventId) {
        acquiredAt.remove(eventId);
    }
}
