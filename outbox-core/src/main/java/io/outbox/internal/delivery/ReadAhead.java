package io.outbox.internal.delivery;

import java.util.concurrent.TimeUnit;

/**
 * How many events a node may claim ahead of its workers: what they take in about a second, so that a slow node leaves
 * the rest to others. Thread-safe.
 */
final class ReadAhead {

    private static final int LEAST = 100;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private long windowBegan = System.nanoTime();
    private int taken;
    private int takenBefore;

    synchronized void taken(int events) {
        move();
        taken += events;
    }

    /** Returns how many claimed events may wait. */
    synchronized int most() {
        move();
        return Math.max(LEAST, Math.max(taken, takenBefore));
    }

    private void move() {
        long age = System.nanoTime() - windowBegan;
        if (age >= WINDOW_NANOS) {
            takenBefore = age >= 2 * WINDOW_NANOS ? 0 : taken;
            taken = 0;
            windowBegan = System.nanoTime();
        }
    }
}
