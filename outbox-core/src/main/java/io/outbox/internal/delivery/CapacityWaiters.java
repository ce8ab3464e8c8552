package io.outbox.internal.delivery;

import io.outbox.internal.polling.PollFeed;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/** The feeds that wait for room in their lane; each says how much is enough. Thread-safe. */
final class CapacityWaiters {

    private record Waiter(BooleanSupplier hasEnough, Runnable action) {}

    private final Map<PollFeed, Waiter> waiters = new ConcurrentHashMap<>();

    /** Runs the action once there is enough room for the feed, in place of one of before. */
    void await(PollFeed feed, BooleanSupplier hasEnough, Runnable action) {
        waiters.put(feed, new Waiter(hasEnough, action));
        roomFrees();
    }

    /** Calls those that have enough room now. */
    void roomFrees() {
        if (waiters.isEmpty()) {
            return;
        }
        waiters.forEach((feed, waiting) -> {
            Waiter waiter = waiting.hasEnough.getAsBoolean() ? waiters.remove(feed) : null;
            if (waiter != null) {
                waiter.action.run();
            }
        });
    }
}
