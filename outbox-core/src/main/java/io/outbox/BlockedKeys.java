package io.outbox;

import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The keys that cannot go on because an event of theirs has failed for good and keeps its place
 * ({@link Ordering.OnExhausted#PARK}), and what operators do about them. Thread-safe.
 */
public final class BlockedKeys {

    private static final int PAGE = 200;
    /** Later than any event is due, a parked one too. */
    private static final Instant ANY_TIME = KeyHead.PARKED_UNTIL.plusSeconds(1);

    private final DeliveryBackend backend;
    private final Clock clock;
    private final Consumer<String> freed;

    /** @param freed is told of a key that can go on */
    BlockedKeys(DeliveryBackend backend, Clock clock, Consumer<String> freed) {
        this.backend = backend;
        this.clock = clock;
        this.freed = freed;
    }

    /**
     * Returns blocked keys behind another one, in the order of keys, up to so many; each with the event that blocks it. Walks over
     * all keys that have unfinished events.
     *
     * @param after the last key of the page before, or an empty text for the first page
     */
    public List<KeyHead> list(String after, int limit) {
        List<KeyHead> blocked = new ArrayList<>();
        String last = after;
        List<KeyHead> page;
        do {
            page = backend.keyHeads(last, PAGE);
            for (KeyHead head : page) {
                last = head.key();
                if (head.isParked()) {
                    blocked.add(head);
                    if (blocked.size() == limit) {
                        return blocked;
                    }
                }
            }
        } while (page.size() == PAGE);
        return blocked;
    }

    /**
     * Has the event that blocks a key delivered again, now; if it fails once more, it blocks the key as before.
     *
     * @return whether the key was blocked
     */
    public boolean resume(String key) {
        return end(key, eventId -> new Outcome.Deferred(eventId, clock.instant()));
    }

    /**
     * Lets the event that blocks a key go DEAD, or become a dead letter, so that the key goes on with the next one.
     *
     * @param reason is stored with the event
     * @return whether the key was blocked
     */
    public boolean skip(String key, String reason) {
        return end(key, eventId -> new Outcome.Dead(eventId, reason));
    }

    private interface End {
        Outcome of(String eventId);
    }

    private boolean end(String key, End end) {
        Optional<String> parked = parkedOf(Check.notBlank(key, "key"));
        boolean isFree = parked.isPresent()
                && backend.apply(null, List.of(end.of(parked.get()))).containsKey(parked.get());
        if (isFree) {
            freed.accept(key);
        }
        return isFree;
    }

    /** Returns the head of a key if it is parked. Nobody holds such an event, since it is never due. */
    private Optional<String> parkedOf(String key) {
        KeyedRequest first = new KeyedRequest(
                null,
                ANY_TIME,
                Instant.EPOCH,
                LostClaims.NONE,
                EventTypes.ALL,
                List.of(key),
                new KeyedRequest.Limit(1, 1));
        return backend.claimKeyed(first).events().stream()
                .map(event -> event.row().event())
                .filter(event -> !event.availableAt().isBefore(KeyHead.PARKED_UNTIL))
                .map(event -> event.eventId())
                .findFirst();
    }
}
