package io.outbox.dispatch;

import io.outbox.dispatch.QueuedEvent.Source;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;

/**
 * The bounded hot and cold queues in front of the workers.
 *
 * <p>While both queues have events, two are taken from the hot one for each from the cold one. A worker waits only when
 * both are empty. For a batch listener a worker takes further events of the first one's route; events of other routes
 * that it passes over on the way are set aside and come first next time, in their order. In strict order nothing is
 * passed over.
 */
final class DispatchQueue {

    private static final int HOT_SHARE = 2;
    private static final int MAX_SET_ASIDE = 256;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Half hot;
    private final Half cold;
    private final boolean strictOrder;
    private int hotInARow;
    private boolean closed;

    DispatchQueue(int hotCapacity, int coldCapacity, boolean strictOrder) {
        this.hot = new Half(hotCapacity);
        this.cold = new Half(coldCapacity);
        this.strictOrder = strictOrder;
    }

    /** Appends the event to its queue; returns false if that is full or closed. */
    boolean offer(Delivery delivery) {
        lock.lock();
        try {
            if (closed || !half(delivery.event().source()).offer(delivery)) {
                return false;
            }
            changed.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for an event and returns it, with up to {@code batchSize} of its route in all; an empty list once the queue
     * is closed and empty.
     */
    List<Delivery> take(ToIntFunction<Delivery> batchSize) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                List<Delivery> batch = pollLocked(batchSize);
                if (!batch.isEmpty() || closed) {
                    return batch;
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Like {@link #take}, but returns an empty list instead of waiting. */
    List<Delivery> poll(ToIntFunction<Delivery> batchSize) {
        lock.lock();
        try {
            return pollLocked(batchSize);
        } finally {
            lock.unlock();
        }
    }

    private List<Delivery> pollLocked(ToIntFunction<Delivery> batchSize) {
        boolean hotTurn = hotInARow < HOT_SHARE;
        Half chosen = (hotTurn && !hot.isEmpty()) || cold.isEmpty() ? hot : cold;
        Delivery first = chosen.poll();
        if (first == null) {
            return List.of();
        }
        hotInARow = chosen == hot ? Math.min(hotInARow + 1, HOT_SHARE) : 0;
        int limit = batchSize.applyAsInt(first);
        if (limit <= 1) {
            return List.of(first);
        }
        List<Delivery> batch = new ArrayList<>();
        batch.add(first);
        chosen.fill(batch, limit);
        return batch;
    }

    /** Refuses further events and wakes all waiting workers; what is queued can still be taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns everything. */
    List<Delivery> clear() {
        lock.lock();
        try {
            List<Delivery> all = new ArrayList<>();
            hot.drainTo(all);
            cold.drainTo(all);
            return all;
        } finally {
            lock.unlock();
        }
    }

    int hotSize() {
        return locked(hot::size);
    }

    int coldSize() {
        return locked(cold::size);
    }

    int hotRemaining() {
        return locked(hot::remaining);
    }

    int coldRemaining() {
        return locked(() -> closed ? 0 : cold.remaining());
    }

    private int locked(java.util.function.IntSupplier value) {
        lock.lock();
        try {
            return value.getAsInt();
        } finally {
            lock.unlock();
        }
    }

    private Half half(Source source) {
        return source == Source.HOT ? hot : cold;
    }

    /** One of the two queues, with the events that were set aside in front of it. Guarded by the lock. */
    private final class Half {

        private final int capacity;
        private final Deque<Delivery> aside = new ArrayDeque<>();
        private final Queue<Delivery> queue;

        Half(int capacity) {
            this.capacity = capacity;
            this.queue = new ArrayBlockingQueue<>(capacity);
        }

        boolean offer(Delivery delivery) {
            return remaining() > 0 && queue.offer(delivery);
        }

        Delivery poll() {
            Delivery first = aside.poll();
            return first != null ? first : queue.poll();
        }

        /** Moves further events of the first one's route into the batch. */
        void fill(List<Delivery> batch, int limit) {
            Delivery first = batch.get(0);
            for (Iterator<Delivery> it = aside.iterator(); batch.size() < limit && it.hasNext(); ) {
                Delivery next = it.next();
                if (next.sameRoute(first)) {
                    batch.add(next);
                    it.remove();
                } else if (strictOrder) {
                    return;
                }
            }
            while (batch.size() < limit && aside.size() < MAX_SET_ASIDE) {
                Delivery next = queue.poll();
                if (next == null) {
                    return;
                }
                if (next.sameRoute(first)) {
                    batch.add(next);
                } else {
                    aside.add(next);
                    if (strictOrder) {
                        return;
                    }
                }
            }
        }

        boolean isEmpty() {
            return size() == 0;
        }

        int size() {
            return aside.size() + queue.size();
        }

        int remaining() {
            return capacity - size();
        }

        void drainTo(List<Delivery> all) {
            all.addAll(aside);
            aside.clear();
            all.addAll(queue);
            queue.clear();
        }
    }
}
