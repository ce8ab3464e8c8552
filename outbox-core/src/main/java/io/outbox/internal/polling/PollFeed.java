package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import java.time.Duration;

/** A share of the due events that the poller reads by itself, so that a share without room holds up no other. */
public interface PollFeed {

    /** Returns the event types of this share; they may change from one read to the next. */
    EventTypes types();

    /** Returns how many events can be taken now; the poller does not read more. */
    int availableCapacity();

    /** Returns how many bytes can be taken now; the poller does not read many more. */
    default long availableBytes() {
        return Long.MAX_VALUE;
    }

    /** Runs the action once when there is capacity again. */
    void whenCapacityFrees(Runnable action);

    /** Returns for how long events of this share have been due, at least. */
    default Duration leastWait() {
        return Duration.ZERO;
    }

    /** Returns how many events are read at a time, or 0 for the poller's setting. */
    default int batchSize() {
        return 0;
    }

    /**
     * Returns whether the capacity says how many events are wanted, so that larger pages than the default do no harm.
     */
    default boolean hasBoundedRoom() {
        return true;
    }

    /** Returns the longest sleep between reads, or {@code null} for the poller's setting. */
    default Duration interval() {
        return null;
    }
}
