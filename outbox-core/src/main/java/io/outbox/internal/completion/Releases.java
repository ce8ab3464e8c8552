package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.internal.watch.Isolation;
import io.outbox.spi.DeliveryBackend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Holds whose lock in the store is to be released. Anybody may add one; all else is done by one thread at a time. */
final class Releases {

    private static final int MAX_BATCH = 512;

    private final DeliveryBackend backend;
    private final Queue<Hold> waiting = new ConcurrentLinkedQueue<>();
    private final List<Hold> inHand = new ArrayList<>();

    Releases(DeliveryBackend backend) {
        this.backend = backend;
    }

    void add(Hold hold) {
        waiting.add(hold);
    }

    /** Takes holds in hand, up to the size of a batch. */
    void takeInHand() {
        for (Hold hold; inHand.size() < MAX_BATCH && (hold = waiting.poll()) != null; ) {
            hold.settle();
            inHand.add(hold);
        }
    }

    int inHand() {
        return inHand.size();
    }

    /** Releases what is in hand, and returns the holds that are through; the others stay for the next time. */
    List<Hold> release() {
        Map<String, List<Hold>> byOwner = new LinkedHashMap<>();
        inHand.forEach(hold -> byOwner.computeIfAbsent(hold.ownerId(), owner -> new ArrayList<>())
                .add(hold));
        byOwner.forEach((ownerId, holds) -> Isolation.run(
                holds,
                part -> backend.release(
                        ownerId, part.stream().map(Hold::eventId).toList())));
        List<Hold> released = List.copyOf(inHand);
        inHand.clear();
        return released;
    }

    /** Removes and returns all of them, released or not. */
    List<Hold> clear() {
        List<Hold> all = new ArrayList<>(inHand);
        inHand.clear();
        for (Hold hold; (hold = waiting.poll()) != null; ) {
            all.add(hold);
        }
        return all;
    }
}
