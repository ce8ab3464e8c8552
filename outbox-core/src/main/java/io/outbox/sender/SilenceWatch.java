package io.outbox.sender;

import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a target has stopped answering, while calls to it are still under way. Each call is watched by itself:
 * if nothing came back for the patience, that is told, once. Whoever waits for the answers may be stuck meanwhile; the
 * watch has a thread of its own, from the first call on. Thread-safe.
 */
public final class SilenceWatch implements AutoCloseable {

    private final long patienceNanos;
    private final ScheduledThreadPoolExecutor timer;

    /**
     * @param threadPrefix how the name of the watch's thread begins
     * @param patience how long nothing may come back
     */
    public SilenceWatch(String threadPrefix, Duration patience) {
        this.patienceNanos = patience.toNanos();
        this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory(threadPrefix));
        timer.setRemoveOnCancelPolicy(true);
    }

    /**
     * Begins to watch a call.
     *
     * @param whenSilent runs on the thread of the watch, and does not begin after the call was closed, which does not
     * wait for
     *     it; if it returns false, as it knows better, it is asked again after a while
     */
    public Call begin(BooleanSupplier whenSilent) {
        Call call = new Call(Objects.requireNonNull(whenSilent, "whenSilent"));
        call.checkIn(patienceNanos);
        return call;
    }

    /** Ends the watch; calls that are under way are not watched any more. */
    @Override
    public void close() {
        timer.shutdownNow();
    }

    /** A call under way. Thread-safe. */
    public final class Call implements AutoCloseable {

        private final BooleanSupplier whenSilent;
        private volatile long answeredAt = System.nanoTime();
        private @Nullable Future<?> check;
        private boolean ended;

        private Call(BooleanSupplier whenSilent) {
            this.whenSilent = whenSilent;
        }

        /** Notes that something came back. */
        public void answered() {
            answeredAt = System.nanoTime();
        }

        private synchronized void checkIn(long nanos) {
            if (ended) {
                return;
            }
            try {
                check = timer.schedule(this::check, nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                ended = true; // the watch is closed
            }
        }

        /**
         * Asks outside of the lock: whoever is told of the silence may take long, and nobody who closes the call is to
         * wait.
         */
        private void check() {
            if (hasEnded()) {
                return;
            }
            long left = answeredAt + patienceNanos - System.nanoTime();
            if (left > 0) {
                checkIn(left);
            } else if (!whenSilent.getAsBoolean()) {
                checkIn(patienceNanos / 3);
            }
        }

        private synchronized boolean hasEnded() {
            return ended;
        }

        /** Ends the call. */
        @Override
        public synchronized void close() {
            ended = true;
            if (check != null) {
                check.cancel(false);
            }
        }
    }
}
