package io.outbox.internal.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The probes of an open circuit: while a target cannot be reached its events stay in the store, and from time to time
 * one of them is let through. None is until probes are allowed. Thread-safe.
 */
final class Probes {

    private static final Duration INTERVAL = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(3650);

    private boolean underWay;
    private long nextAtNanos = System.nanoTime() + FOREVER.toNanos();

    /** Returns how many events may be taken now, given the room there is. */
    synchronized int admits(int room) {
        return underWay || System.nanoTime() - nextAtNanos < 0 ? 0 : Math.min(1, room);
    }

    /** Admits one event; returns false if it has to stay in the store. */
    synchronized boolean admit() {
        if (admits(1) == 0) {
            return false;
        }
        underWay = true;
        return true;
    }

    /** Lets nothing pass until probes are allowed. */
    synchronized void forbid() {
        allow(FOREVER);
    }

    /** Lets one event pass after a pause, or after the usual one if it is {@code null}. */
    synchronized void allow(Duration pause) {
        Duration wait = pause == null ? INTERVAL : pause.compareTo(FOREVER) < 0 ? pause : FOREVER;
        underWay = false;
        nextAtNanos = System.nanoTime() + wait.toNanos();
    }

    /** Notes that a probe ended without telling anything about the target. */
    synchronized void lost() {
        underWay = false;
    }

    /** Returns the time until the next probe, in milliseconds, at least 1. */
    synchronized long millisToNext() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextAtNanos - System.nanoTime()) + 1);
    }
}
