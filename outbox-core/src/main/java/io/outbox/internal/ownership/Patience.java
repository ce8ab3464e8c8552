package io.outbox.internal.ownership;

import java.util.concurrent.TimeUnit;

/**
 * How long to wait, over all events of a page, for holds that are being closed and may still be in the tracker. It
 * begins when it is first asked. Used by one thread.
 */
public final class Patience {

    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private long overAtNanos;
    private boolean begun;

    boolean isOver() {
        long now = System.nanoTime();
        if (!begun) {
            begun = true;
            overAtNanos = now + NANOS;
        }
        return now - overAtNanos >= 0;
    }
}
