package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.internal.watch.Isolation;
import io.outbox.spi.DeliveryBackend;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Holds whose lock in the store is to be released. Anybody may add one; all else is done by one thread at a time.
 * Events that somebody else has locked in the store wait apart, and keep no others waiting.
 */
final class Releases {

    private static final int MAX_BATCH = 512;
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DeliveryBackend backend;
    private final Queue<Hold> waiting = new ConcurrentLinkedQueue<>();
    private final List<Hold> inHand = new ArrayList<>();
    private final Queue<Hold> locked = new ArrayDeque<>();
    private long lockedUntilNanos;

    Releases(DeliveryBackend backend) {
        this.backend = backend;
    }

    void add(Hold hold) {
        waiting.add(hold);
    }

    /** Takes holds in hand, up to the size of a batch. */
    void takeInHand() {
        boolean retry = nanosToNext() <= 0;
        for (Hold hold; retry && inHand.size() < MAX_BATCH && (hold = locked.poll()) != null; ) {
            inHand.add(hold);
        }
        for (Hold hold; inHand.size() < MAX_BATCH && (hold = waiting.poll()) != null; ) {
            hold.settle();
            inHand.add(hold);
        }
    }

    int inHand() {
        return inHand.size();
    }

    /** Returns the time until events are tried again that somebody else has locked. */
    long nanosToNext() {
        return locked.isEmpty() ? Long.MAX_VALUE : lockedUntilNanos - System.nanoTime();
    }

    /**
     * Releases what is in hand, one holder after the other, and tells of the holds that are through; the others stay
     * for the next time. What is released stays so if the store fails then: after an outage there may be many holders,
     * and a store that fails now and then must not make all of them begin anew.
     */
    void release(Consumer<List<Hold>> released) {
        Map<String, List<Hold>> byHolder = new LinkedHashMap<>();
        inHand.forEach(hold -> byHolder.computeIfAbsent(hold.holder(), holder -> new ArrayList<>())
                .add(hold));
        byHolder.forEach((holder, holds) -> released.accept(release(holder, holds)));
    }

    private List<Hold> release(String holder, List<Hold> holds) {
        Set<Hold> lockedNow = Set.copyOf(Isolation.run(
                holds,
                Hold::eventId,
                part -> backend.release(holder, part.stream().map(Hold::eventId).toList())));
        inHand.removeAll(Set.copyOf(holds));
        if (!lockedNow.isEmpty()) {
            locked.addAll(lockedNow);
            lockedUntilNanos = System.nanoTime() + PAUSE_NANOS;
        }
        return holds.stream().filter(hold -> !lockedNow.contains(hold)).toList();
    }

    /** Removes and returns those that somebody else has locked. */
    List<Hold> clearLocked() {
        List<Hold> all = List.copyOf(locked);
        locked.clear();
        return all;
    }

    /** Removes and returns all of them, released or not. */
    List<Hold> clear() {
        List<Hold> all = new ArrayList<>(clearLocked());
        all.addAll(inHand);
        inHand.clear();
        for (Hold hold; (hold = waiting.poll()) != null; ) {
            all.add(hold);
        }
        return all;
    }
}
