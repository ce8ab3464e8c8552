package io.outbox.benchmarks;

import io.outbox.EventEnvelope;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Events that name targets which do not exist, each its own, evenly among the others. Thread-safe. */
final class Strays {

    private final AtomicInteger names = new AtomicInteger();
    private final AtomicInteger seen = new AtomicInteger();
    private final Map<String, String> targets = new ConcurrentHashMap<>();
    private volatile int count;
    private volatile int step;

    /** Lets so many of the next events name targets that no event named before. */
    void begin(int strays, int events) {
        targets.clear();
        seen.set(0);
        step = events / (strays + 1);
        count = strays;
    }

    /** Lets all events go where they belong. */
    void end() {
        count = 0;
        targets.clear();
    }

    /** Returns where an event goes, which stays the same for each attempt. */
    String targetOf(EventEnvelope event, String usual) {
        if (count == 0) {
            return usual;
        }
        String known = targets.get(event.eventId());
        if (known != null) {
            return known;
        }
        if (targets.size() < count && seen.incrementAndGet() % step == 0) {
            String missing = "missing-" + names.incrementAndGet();
            targets.put(event.eventId(), missing);
            return missing;
        }
        return usual;
    }
}
