package io.outbox.upkeep;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Keeps a burst of hints from becoming a burst of messages: the first goes out at once, and what comes within the next 5 ms goes
 * out together at their end. Thread-safe.
 */
public final class HintDebounce {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Consumer<Set<String>> send;
    private final Timer timer;
    private final Set<String> waiting = new HashSet<>();
    private boolean anyTypeWaits;
    private boolean pausing;

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
                waiting.addAll(eventTypes);
                anyTypeWaits |= eventTypes.isEmpty();
                return;
            }
            pausing = true;
        }
        sendAndPause(eventTypes);
    }

    private void sendAndPause(Set<String> eventTypes) {
        timer.in(PAUSE_NANOS, this::pauseIsOver);
        send.accept(eventTypes);
    }

    private void pauseIsOver() {
        Set<String> eventTypes;
        synchronized (this) {
            if (waiting.isEmpty() && !anyTypeWaits) {
                pausing = false;
                return;
            }
            eventTypes = anyTypeWaits ? Set.of() : Set.copyOf(waiting);
            waiting.clear();
            anyTypeWaits = false;
        }
        sendAndPause(eventTypes);
    }
}
