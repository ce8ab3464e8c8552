package io.outbox.admin;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * How long a thread may wait for the other end of a connection. When the time is over, the thread is interrupted, which
 * closes the channel that it reads from or writes to. While nothing is set it is never interrupted: the time that the
 * outbox and its database take is not the caller's. Of one thread, which alone sets and clears it.
 */
final class Deadline {

    private final ScheduledThreadPoolExecutor clock;
    private final Thread thread = Thread.currentThread();
    private Future<?> alarm;
    private int round;

    /** The clock is one of {@link #newClock}. */
    Deadline(ScheduledThreadPoolExecutor clock) {
        this.clock = clock;
    }

    /**
     * Returns a clock; once it is shut down, no time is over any more: whoever shuts it down closes the connections,
     * too.
     */
    static ScheduledThreadPoolExecutor newClock(ThreadFactory threads) {
        ScheduledThreadPoolExecutor clock =
                new ScheduledThreadPoolExecutor(1, threads, new ThreadPoolExecutor.DiscardPolicy());
        clock.setRemoveOnCancelPolicy(true);
        return clock;
    }

    /** Replaces what was set before. */
    synchronized void set(Duration time) {
        clear();
        int current = round;
        alarm = clock.schedule(() -> interrupt(current), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    synchronized void clear() {
        round++;
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
        Thread.interrupted();
    }

    private synchronized void interrupt(int meant) {
        if (meant == round) {
            thread.interrupt();
        }
    }
}
