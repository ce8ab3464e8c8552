package io.outbox.spi;

import java.util.List;
import java.util.Objects;

/**
 * The next events of some keys.
 *
 * @param events the events, those of one key together and in order
 * @param takenOver how many of them another node had held
 */
public record KeyedPage(List<KeyedEvent> events, int takenOver) {

    /** No event. */
    public static final KeyedPage EMPTY = new KeyedPage(List.of(), 0);

    public KeyedPage {
        events = List.copyOf(events);
    }

    /**
     * An event in the order of its key.
     *
     * @param number its place among the events of the key: greater than those of the events before it
     */
    public record KeyedEvent(DueEvent row, String key, long number) {
        public KeyedEvent {
            Objects.requireNonNull(row, "row");
            Objects.requireNonNull(key, "key");
        }
    }
}
