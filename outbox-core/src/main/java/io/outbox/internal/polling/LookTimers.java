package io.outbox.internal.polling;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Decides how far back each look goes, by the price of those that go far. Used by one thread at a time. */
final class LookTimers {

    private static final Duration FRONT_PAUSE = Duration.ofMinutes(1);
    private static final Duration DEAR_FRONT = Duration.ofMillis(20);
    private static final Duration LATE_PAUSE = Duration.ofSeconds(1);
    private static final Duration DEAR_LATE = Duration.ofMillis(2);

    private final LookTimer front;
    private final LookTimer late;
    private boolean atFrontBeside;
    private boolean owesLateLook;

    LookTimers(LongSupplier nanoTime) {
        this.front = new LookTimer(nanoTime, FRONT_PAUSE, DEAR_FRONT);
        this.late = new LookTimer(nanoTime, LATE_PAUSE, DEAR_LATE);
    }

    /** Returns how far back to look now; not to a front that is dear, which {@link #beginAtFrontBeside} is for. */
    LookDepth depth() {
        if (front.isDue() && !front.isDear()) {
            return LookDepth.FRONT;
        }
        return late.isDue() || !late.isDear() ? LookDepth.LATE : LookDepth.RECENT;
    }

    /** Returns whether looks at the front take noticeable time. */
    boolean isFrontDear() {
        return front.isDear();
    }

    /** Returns whether a look at a front that is dear has to begin, and notes that it does. */
    boolean beginAtFrontBeside() {
        boolean begins = front.isDue() && front.isDear() && !atFrontBeside;
        atFrontBeside |= begins;
        return begins;
    }

    /** Notes the end of a look at the front that began at that time beside others. */
    void endAtFrontBeside(long beganAtNanos) {
        atFrontBeside = false;
        front.looked(beganAtNanos);
    }

    /** Notes that a look at the front beside others failed. */
    void failedAtFrontBeside() {
        atFrontBeside = false;
        front.putOff();
    }

    /** Notes a look that began at that time. */
    void looked(LookDepth depth, long beganAtNanos) {
        owesLateLook = depth == LookDepth.RECENT;
        switch (depth) {
            case FRONT -> front.looked(beganAtNanos);
            case LATE -> late.looked(beganAtNanos);
            case RECENT -> {}
        }
    }

    /**
     * Plans the look further back that a look at recent events owes: returns in how many milliseconds to make it, or
     * {@link Long#MAX_VALUE} if none is owed or it is planned already.
     */
    long planLateLook() {
        if (!owesLateLook) {
            return Long.MAX_VALUE;
        }
        owesLateLook = false;
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(late.nanosUntilDue()) + 1);
    }
}
