package io.outbox.admin;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * How long a thread may wait for the other end of a connection. When the time is over, the thread is interrupted, which closes the
 * channel that it reads from or writes to. While nothing is set it is never interrupted: the time that the outbox and its
 * database take is not the caller's. Of one thread, which alone sets and clears it.
 */
final class Deadline {

    private final ScheduledExecutorService clock;
    private final Thread thread = Thread.currentThread();
    private Future<?> alarm;
    private int round;

    Deadline(ScheduledExecutorService clock) {
        this.clock = clock;
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
