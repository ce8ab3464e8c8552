package io.outbox.samples.demo.shop;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Decides what goes wrong in the shop: some of everything, and never more than somebody could look at. Thread-safe. */
final class Troubles {

    /** While this many dead letters wait, no more events are made that die. */
    private static final int MOST_WAITING = 250;

    /** The carrier is down for a while, once in a round. */
    private static final Duration ROUND = Duration.ofSeconds(90);

    private static final Duration DOWN_FROM = Duration.ofSeconds(20);
    private static final Duration DOWN_UNTIL = Duration.ofSeconds(35);

    private final long openedAt = System.nanoTime();
    private volatile boolean enough;

    void setWaiting(long deadLetters) {
        enough = deadLetters >= MOST_WAITING;
    }

    /** Returns whether a new order is to end among the dead letters, for one reason or another. */
    boolean isDoomed(double share) {
        return !enough && chance(share);
    }

    /** Returns whether a payment times out; most of those that do get through with the next attempt. */
    boolean isTimeout() {
        return !enough && chance(0.2);
    }

    boolean isCarrierDown() {
        Duration time = Duration.ofNanos((System.nanoTime() - openedAt) % ROUND.toNanos());
        return time.compareTo(DOWN_FROM) >= 0 && time.compareTo(DOWN_UNTIL) < 0;
    }

    static boolean chance(double share) {
        return ThreadLocalRandom.current().nextDouble() < share;
    }
}
