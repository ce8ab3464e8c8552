package io.outbox.samples.demo.tour;

import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The events that listeners have processed, when, and how often. Thread-safe. */
final class Deliveries {

    private static final long PATIENCE_SECONDS = 60;

    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private final Map<String, Long> times = new ConcurrentHashMap<>();
    private final Map<String, CountDownLatch> latches = new ConcurrentHashMap<>();

    /** Notes that a listener has processed the event. */
    void add(EventEnvelope event) {
        times.putIfAbsent(event.eventId(), System.nanoTime());
        counts.merge(event.eventId(), 1, Integer::sum);
        latch(event.eventId()).countDown();
    }

    /** Waits until the event was processed and returns when it was, on the clock of {@link System#nanoTime()}. */
    long await(String eventId) throws InterruptedException {
        if (!latch(eventId).await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(
                    "event " + eventId + " was not delivered within " + PATIENCE_SECONDS + " s");
        }
        return times.get(eventId);
    }

    void awaitAll(List<String> eventIds) throws InterruptedException {
        for (String eventId : eventIds) {
            await(eventId);
        }
    }

    boolean contains(String eventId) {
        return counts.containsKey(eventId);
    }

    int size() {
        return counts.size();
    }

    /** Returns how many events were processed more than once. */
    long repeated() {
        return counts.values().stream().filter(count -> count > 1).count();
    }

    private CountDownLatch latch(String eventId) {
        return latches.computeIfAbsent(eventId, id -> new CountDownLatch(1));
    }
}
