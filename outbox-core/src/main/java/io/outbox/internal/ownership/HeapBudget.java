package io.outbox.internal.ownership;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes that the events in an engine's hands may take, and how its lanes share them.
 *
 * <p>A lane takes another event as long as it holds less than is free. So one lane alone gets half of the budget, two
 * get a third each, and however much they want, there is something left for a lane that has nothing yet. The event that
 * reaches the bound is still taken, and a lane without any always takes one: nothing stands still for being large, and
 * the budget is exceeded by no more than an event for each lane.
 *
 * <p>Events that are reserved for open transactions may take only a part of a lane's share, since nobody knows how long
 * they stay: those that wait in the store get the rest. Thread-safe.
 */
public final class HeapBudget {

    private static final long MOST = 256L << 20;
    private static final int PART_OF_HEAP = 8;
    /** The part of the budget that is worth a read. */
    private static final int WORTHWHILE_PART = 16;

    private final long total;
    private final AtomicLong held = new AtomicLong();
    private final Set<Share> lacking = ConcurrentHashMap.newKeySet();

    public HeapBudget(long total) {
        this.total = total;
    }

    /** Returns the budget of an engine: a part of the heap. */
    public static HeapBudget ofThisHeap() {
        return new HeapBudget(Math.min(MOST, Runtime.getRuntime().maxMemory() / PART_OF_HEAP));
    }

    /** @param whenRoomy called when there is room again after {@link Share#requestRoom} has found that there is not */
    public Share share(Runnable whenRoomy) {
        return new Share(whenRoomy);
    }

    private long free() {
        return total - held.get();
    }

    /** What the events of one lane take. */
    public final class Share {

        private final Runnable whenRoomy;
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicInteger reserved = new AtomicInteger();

        private Share(Runnable whenRoomy) {
            this.whenRoomy = whenRoomy;
        }

        /** Returns how many events are reserved and not yet queued. */
        public int reserved() {
            return reserved.get();
        }

        /** Returns how many bytes may still be taken; more than none if nothing is held. */
        public long room() {
            long own = bytes.get();
            return Math.max(own == 0 ? 1 : 0, free() - own);
        }

        /** Returns whether it is worth to read events for this share; if not, somebody is called when it is. */
        public boolean requestRoom() {
            if (isWorthwhile()) {
                return true;
            }
            lacking.add(this); // before the second look, or what is given back in between is missed
            return isWorthwhile();
        }

        private boolean isWorthwhile() {
            return bytes.get() == 0 || room() >= total / WORTHWHILE_PART;
        }

        boolean reserve(long size, int places) {
            if (reserved.incrementAndGet() <= places && take(size, 2)) {
                return true;
            }
            reserved.decrementAndGet();
            return false;
        }

        void leavePlace() {
            reserved.decrementAndGet();
        }

        boolean take(long size) {
            return take(size, 1);
        }

        private boolean take(long size, int times) {
            long own = bytes.getAndAdd(size);
            while (true) {
                long all = held.get();
                if (own > 0 && own * times >= total - all) {
                    bytes.addAndGet(-size);
                    return false;
                }
                if (held.compareAndSet(all, all + size)) {
                    return true;
                }
            }
        }

        void giveBack(long size) {
            bytes.addAndGet(-size);
            held.addAndGet(-size);
            if (!lacking.isEmpty()) {
                lacking.forEach(Share::callIfRoomy);
            }
        }

        private void callIfRoomy() {
            if (isWorthwhile() && lacking.remove(this)) {
                whenRoomy.run();
            }
        }
    }
}
