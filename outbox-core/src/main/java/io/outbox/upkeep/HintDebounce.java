package io.outbox.upkeep;

import java.lang.System.Logger.Level;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps a burst of hints from becoming a burst of messages: the first goes out at once, and what comes within the next
 * 5 ms goes out together at their end. While events keep coming, each pause is twice as long as the one before, up to
 * {@link #LONGEST_PAUSE_MS}: whoever has been woken finds more by looking, and a message costs the database about as
 * much as several commits. Thread-safe.
 */
public final class HintDebounce {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    /**
     * How long events may wait for the next message while they keep coming; those who deliver look for them in the
     * meantime.
     */
    public static final long LONGEST_PAUSE_MS = 100;

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(LONGEST_PAUSE_MS);
    /** A pause that gathers hints faster than one in this time is followed by a longer one. */
    private static final long OFTEN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Consumer<Set<String>> send;
    private final Timer timer;
    private final Set<String> waiting = new HashSet<>();
    private boolean anyTypeWaits;
    private boolean pausing;
    private int gathered;
    private long pauseNanos = SHORTEST_PAUSE_NANOS;

    /** Runs something later, on another thread. */
    public interface Timer {
        void in(long nanos, Runnable task);
    }

    /** @param send sends event types, none of them meaning any; never blocks */
    public HintDebounce(Timer timer, Consumer<Set<String>> send) {
        this.timer = timer;
        this.send = send;
    }

    /** Sends the hint now or within the next milliseconds; none for any type. */
    public void signal(Set<String> eventTypes) {
        synchronized (this) {
            if (pausing) {
                gathered++;
                waiting.addAll(eventTypes);
                anyTypeWaits |= eventTypes.isEmpty();
                return;
            }
            pausing = true;
        }
        sendAndPause(eventTypes, SHORTEST_PAUSE_NANOS);
    }

    private void sendAndPause(Set<String> eventTypes, long nanos) {
        try {
            timer.in(nanos, this::pauseIsOver);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.DEBUG, "No pause follows this hint", e);
            withoutPause();
        }
        send.accept(eventTypes);
    }

    /** What waits goes out after the next hint. */
    private synchronized void withoutPause() {
        pausing = false;
        pauseNanos = SHORTEST_PAUSE_NANOS;
    }

    private void pauseIsOver() {
        Set<String> eventTypes;
        long nextPauseNanos;
        synchronized (this) {
            pauseNanos = gathered * OFTEN_NANOS >= pauseNanos
                    ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS)
                    : Math.max(pauseNanos / 2, SHORTEST_PAUSE_NANOS);
            nextPauseNanos = pauseNanos;
            gathered = 0;
            if (waiting.isEmpty() && !anyTypeWaits) {
                pausing = false;
                pauseNanos = SHORTEST_PAUSE_NANOS;
                return;
            }
            eventTypes = anyTypeWaits ? Set.of() : Set.copyOf(waiting);
            waiting.clear();
            anyTypeWaits = false;
        }
        sendAndPause(eventTypes, nextPauseNanos);
    }
}
