package io.outbox;

import io.outbox.model.BlockedKey;
import io.outbox.model.FailureText;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.Limits;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys whose delivery is blocked because one of their events has failed permanently and keeps its place ({@link
 * Ordering.OnExhausted#PARK}), and what operators can do about them. Works through any node, for the keys of all nodes.
 * Thread-safe.
 *
 * <p>An event is changed under a lock in its row, as a node would hold it. So of two operators who act on the same
 * event, one has effect, and neither touches an event that is with a listener.
 */
public final class BlockedKeys {

    /** Later than any event is due, a parked one too. */
    private static final Instant ANY_TIME = KeyHead.PARKED_UNTIL.plus(Duration.ofDays(365 * 50L));

    /**
     * The name under which all operators lock an event. A lock that one of them left behind, because its process died,
     * is thus as good as none to the next; and the first who changes the event takes the lock away from the others.
     */
    private static final Lease OPERATOR = new Lease("outbox-operator", Lease.DEFAULT_DURATION);

    private final DeliveryBackend backend;
    private final Supplier<Instant> now;
    private final Consumer<String> freed;
    private final Runnable resumed;
    private final Runnable skipped;

    /**
     * @param now the time by which events are due
     * @param freed is told of a key that can go on
     * @param resumed counts a key that is resumed
     * @param skipped counts an event that is skipped
     */
    BlockedKeys(
            DeliveryBackend backend,
            Supplier<Instant> now,
            Consumer<String> freed,
            Runnable resumed,
            Runnable skipped) {
        this.backend = backend;
        this.now = now;
        this.freed = freed;
        this.resumed = resumed;
        this.skipped = skipped;
    }

    /** Returns blocked keys, those first that have been blocked for the longest time, up to so many. */
    public List<BlockedKey> list(int limit) {
        return list(BlockedKey.Order.OLDEST_FIRST, null, limit);
    }

    /**
     * Returns a page of blocked keys.
     *
     * @param after the last key of the page before, or {@code null} for the first page
     */
    public List<BlockedKey> list(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        return backend.blockedKeys(Objects.requireNonNull(order, "order"), after, Limits.atLeastOne(limit, "limit"));
    }

    /** Counts blocked keys and what waits behind them. */
    public BlockedKey.Figures figures() {
        return backend.blockedFigures();
    }

    /**
     * Has the event that blocks a key delivered again, now; if it fails once more, it blocks the key as before.
     *
     * @return whether the key was blocked
     */
    public boolean resume(String key) {
        return resume(key, null);
    }

    /**
     * Has an event delivered again, now, if it is the one that blocks the key.
     *
     * @param eventId the event, or {@code null} for whichever blocks the key
     * @return whether it did
     */
    public boolean resume(String key, @Nullable String eventId) {
        boolean isFree = end(key, eventId, head -> new Outcome.Deferred(head.eventId(), now.get()));
        if (isFree) {
            resumed.run();
        }
        return isFree;
    }

    /**
     * Marks the event that blocks a key DEAD, or moves it to the dead letters, so that the key continues with the next
     * one.
     *
     * @param reason is stored with the event, above the error that it has
     * @return whether the key was blocked
     */
    public boolean skip(String key, String reason) {
        return skip(key, null, reason);
    }

    /**
     * Makes an event DEAD, or a dead letter, if it blocks the key.
     *
     * @param eventId the event, or {@code null} for whichever blocks the key
     * @param reason is stored with the event, above the error that it has
     * @return whether it did
     */
    public boolean skip(String key, @Nullable String eventId, String reason) {
        boolean isFree = end(key, eventId, head -> new Outcome.Dead(head.eventId(), above(head.lastError(), reason)));
        if (isFree) {
            skipped.run();
        }
        return isFree;
    }

    private interface End {
        Outcome of(DueEvent head);
    }

    private static String above(@Nullable String error, String reason) {
        return error == null ? reason : reason + "\n" + FailureText.CAUSED_BY + error;
    }

    private boolean end(String key, @Nullable String eventId, End end) {
        Optional<DueEvent> head = claimHead(Check.notBlank(key, "key"));
        if (head.isEmpty()) {
            return false;
        }
        String headId = head.get().eventId();
        boolean isParked = !head.get().event().availableAt().isBefore(KeyHead.PARKED_UNTIL);
        boolean isMeant = isParked && (eventId == null || eventId.equals(headId));
        boolean isFree = isMeant
                && backend.apply(OPERATOR.holder(), List.of(end.of(head.get()))).containsKey(headId);
        if (!isFree) {
            backend.release(OPERATOR.holder(), List.of(headId));
        }
        freed.accept(key); // even if it was only locked for a moment, which a look may have met
        return isFree;
    }

    /** Locks the first event of a key, unless a node has it. */
    private Optional<DueEvent> claimHead(String key) {
        KeyedRequest first = new KeyedRequest(
                OPERATOR,
                ANY_TIME,
                Instant.EPOCH,
                new LostClaims(Set.of(OPERATOR.holder()), Set.of()),
                EventTypes.ALL,
                List.of(key),
                new KeyedRequest.Limit(1, 1));
        return backend.claimKeyed(first).events().stream()
                .map(event -> event.row())
                .findFirst();
    }
}
