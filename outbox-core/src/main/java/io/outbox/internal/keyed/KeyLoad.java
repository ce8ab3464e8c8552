package io.outbox.internal.keyed;

import java.util.concurrent.atomic.AtomicInteger;

/** What chains hold of one lane. A chain counts where its next event goes, with all that is open of it. Thread-safe. */
final class KeyLoad {

    private final KeyLane lane;
    private final AtomicInteger chains = new AtomicInteger();
    private final AtomicInteger events = new AtomicInteger();

    KeyLoad(KeyLane lane) {
        this.lane = lane;
    }

    void enter(int open) {
        chains.incrementAndGet();
        events.addAndGet(open);
    }

    void leave(int open) {
        chains.decrementAndGet();
        events.addAndGet(-open);
    }

    void eventEnded() {
        events.decrementAndGet();
    }

    boolean isOpen() {
        return lane.coldRoom() > 0;
    }

    /** Returns how many further events may wait in memory; none if the lane takes nothing now. */
    int freeEvents() {
        return isOpen() ? Math.max(0, lane.coldCapacity() - events.get()) : 0;
    }

    /**
     * Returns how many further keys keep the workers busy, or fill the lane once half of it is free.
     *
     * @param isPlenty whether there are many more keys, or no other nodes to leave them to
     */
    int wantedKeys(boolean isPlenty) {
        int room = lane.coldRoom();
        if (isPlenty) {
            return events.get() <= lane.coldCapacity() / 2 ? room : 0;
        }
        return Math.max(0, Math.min(room, 2 * lane.concurrency() - chains.get()));
    }
}
