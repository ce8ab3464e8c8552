package io.outbox.dispatch;

/** Keeps one event from being processed twice at the same time in this JVM. Thread-safe. */
public interface InFlightTracker {

    /** Marks the event as in flight; returns false if it is already. */
    boolean tryAcquire(String eventId);

    /** Forgets the event. */
    void release(String eventId);
}
