package io.outbox.internal.delivery;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The circuit breaker of a lane: open while the target cannot be reached.
 *
 * <p>While it is open, events stay in the store. From time to time one event is let through as a probe; when it gets
 * through, the circuit closes.
 */
final class RouteCircuit {

    private static final Duration PROBE_INTERVAL = Duration.ofMillis(500);
    private static final Duration FOREVER = Duration.ofDays(3650);

    private boolean open;
    private boolean probing;
    private long nextProbeAt;

    /** Returns how many events may be taken now, given the room there is. */
    synchronized int admits(int room) {
        if (!open) {
            return room;
        }
        return probing || System.nanoTime() - nextProbeAt < 0 ? 0 : Math.min(1, room);
    }

    /** Admits one event; returns false if it has to stay in the store. */
    synchronized boolean admit() {
        if (!open) {
            return true;
        }
        if (admits(1) == 0) {
            return false;
        }
        probing = true;
        return true;
    }

    /**
     * Notes that the target could not be reached; until probes are allowed, nothing passes. Returns whether the circuit
     * was closed until now.
     */
    synchronized boolean trip() {
        boolean wasClosed = !open;
        open = true;
        probing = false;
        nextProbeAt = System.nanoTime() + FOREVER.toNanos();
        return wasClosed;
    }

    /** Lets one event pass after a pause, or after the usual one if it is {@code null}. */
    synchronized void allowProbes(Duration pause) {
        Duration wait = pause == null ? PROBE_INTERVAL : pause.compareTo(FOREVER) < 0 ? pause : FOREVER;
        probing = false;
        nextProbeAt = System.nanoTime() + wait.toNanos();
    }

    /** Notes that the target answered; returns whether the circuit was open until now. */
    synchronized boolean reset() {
        boolean wasOpen = open;
        open = false;
        probing = false;
        return wasOpen;
    }

    /** Notes that a probe ended without telling anything about the target. */
    synchronized void probeLost() {
        probing = false;
    }

    synchronized boolean isOpen() {
        return open;
    }

    /** Returns the time until the next probe, in milliseconds, at least 1. */
    synchronized long millisToProbe() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(nextProbeAt - System.nanoTime()) + 1);
    }
}
