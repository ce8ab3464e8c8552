package io.outbox.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a claim got.
 *
 * @param events the events that the claimant holds from now on, in order of creation
 * @param takenOver how many of them another node had held until its lease ran out
 * @param next where the next claim begins, or {@code null} if nothing follows; there may be more even if this claim got
 *     few or none, because others were faster
 */
public record ClaimedPage(
        List<DueEvent> events, int takenOver, @Nullable PageCursor next) {

    /** Nothing was there to claim. */
    public static final ClaimedPage EMPTY = new ClaimedPage(List.of(), 0, null);

    public ClaimedPage {
        events = List.copyOf(events);
    }
}
