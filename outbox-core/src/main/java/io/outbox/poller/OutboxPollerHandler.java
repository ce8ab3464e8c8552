package io.outbox.poller;

import io.outbox.EventEnvelope;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Takes over the events that the poller finds. A handler that delivers by itself implements only {@link #handle}; the
 * other methods let poller and dispatcher work hand in hand.
 */
@FunctionalInterface
public interface OutboxPollerHandler {

    /** Takes one event; returning false refuses it and ends the poll cycle. */
    boolean handle(EventEnvelope event, int attempts);

    /** Returns how many events can be taken now; the poller does not read more. */
    default int availableCapacity() {
        return Integer.MAX_VALUE;
    }

    /** Returns the shares of events to read, each by itself. The default is one share of all types. */
    default List<PollerFeed> feeds() {
        return List.of(new PollerFeed() {
            @Override
            public EventTypes types() {
                return EventTypes.ALL;
            }

            @Override
            public int availableCapacity() {
                return OutboxPollerHandler.this.availableCapacity();
            }

            @Override
            public void whenCapacityFrees(Runnable action) {
                // the next interval will tell
            }

            @Override
            public int batchSize() {
                return 0;
            }

            @Override
            public Duration interval() {
                return null;
            }
        });
    }

    /** Returns how many pending events the handler holds already. */
    default int heldEvents() {
        return 0;
    }

    /** Called before rows are read. */
    default void pollStarted() {}

    /** Called after all rows that were read have been handed over. */
    default void pollFinished() {}

    /** Called once if the poller claims events: those handed over are locked in the store under this lease. */
    default void claimingUnder(Lease lease) {}

    /** Called once with what to call when the handler knows that an event of a type becomes due at an instant. */
    default void onDue(BiConsumer<EventTypes, Instant> wakeUp) {}
}
