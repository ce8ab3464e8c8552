package io.outbox.jdbc.store;

import io.outbox.jdbc.store.Attempts.Place;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The way of the clean-up through old attempts, in the order of their time. Each step goes on where the last one
 * stopped. From the end on it follows what grows old, and begins again when it has rested a hundred times as long as
 * the way took: so it finds attempts of events that were open when it passed, and costs next to nothing, however many
 * there are of dead letters. Thread-safe.
 */
final class AttemptWalk {

    private static final int REST = 100;

    private final LongSupplier nanoTime;
    private Place place = Place.START;
    private boolean isAtEnd;
    private long wayNanos;
    private long endedAtNanos;

    AttemptWalk(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Takes a step.
     *
     * @param look looks at what follows a place, and returns that
     * @param limit the most that it returns; if it returns less, the end is reached
     */
    synchronized int step(Function<Place, List<Place>> look, int limit) {
        long begin = nanoTime.getAsLong();
        if (isAtEnd && begin - endedAtNanos > REST * wayNanos) {
            place = Place.START;
            isAtEnd = false;
            wayNanos = 0;
        }
        List<Place> seen = look.apply(place);
        if (!seen.isEmpty()) {
            place = seen.get(seen.size() - 1);
        }
        if (!isAtEnd) {
            endedAtNanos = nanoTime.getAsLong();
            wayNanos += endedAtNanos - begin;
            isAtEnd = seen.size() < limit;
        }
        return seen.size();
    }
}
