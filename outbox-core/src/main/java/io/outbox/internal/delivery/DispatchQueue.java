package io.outbox.internal.delivery;

import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.ownership.HeldEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;

/**
 * The bounded hot and cold queues in front of the workers.
 *
 * <p>While both queues have events, two are taken from the hot one for each from the cold one. A worker waits only when
 * both are empty. For a batch listener a worker takes further events of the first one's route; events of other routes
 * that it passes over on the way are set aside and come first next time, in their order. In strict order nothing is
 * passed over.
 *
 * <p>An event moves from one place to the next by being added there first, so that whatever is thrown on the way it is
 * not lost. Nothing of the application's is called under the lock, which its writers need.
 */
final class DispatchQueue {

    private static final int HOT_SHARE = 2;
    private static final int MAX_SET_ASIDE = 256;
    /** How long a worker with batches under way waits for a full one before it does nothing but wait for answers. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    /** For workers that have batches under way: there is a full batch, or an answer. */
    private final Condition full = lock.newCondition();

    private int waitingForFull;
    private final Half hot;
    private final Half cold;
    private final boolean strictOrder;
    private int hotInARow;
    private int waiting;
    private int removals;
    private boolean closed;
    /** How many events the last batch could have had. */
    private volatile int lastLimit = 1;

    /** @param depths where the events of all queues are counted */
    DispatchQueue(int hotCapacity, int coldCapacity, boolean strictOrder, Depths depths) {
        this.hot = new Half(hotCapacity, depths.hot);
        this.cold = new Half(coldCapacity, depths.cold);
        this.strictOrder = strictOrder;
    }

    /** How many events wait in all queues of an engine, known without their locks. */
    static final class Depths {

        private final AtomicInteger hot = new AtomicInteger();
        private final AtomicInteger cold = new AtomicInteger();

        int hot() {
            return hot.get();
        }

        int cold() {
            return cold.get();
        }
    }

    /**
     * Appends the event to its queue if that has room and the admission is granted; both are asked for under the lock
     * under which {@link #remove} and {@link #close} run, so that no event slips in behind them.
     */
    boolean offer(HeldEvent event, Predicate<HeldEvent> admission) {
        return offer(List.of(event), admission) == 1;
    }

    /** Appends events, as {@link #offer(HeldEvent, Predicate)} does, until one is refused; returns how many. */
    int offer(List<HeldEvent> events, Predicate<HeldEvent> admission) {
        lock.lock();
        try {
            int added = 0;
            for (HeldEvent event : events) {
                Half half = half(event.queued().source());
                if (closed || half.remaining() <= 0 || !admission.test(event)) {
                    break;
                }
                half.add(event);
                added++;
            }
            wakeNext();
            return added;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Wakes one worker if there is something for it. Whoever takes an event wakes the next for what is left, so that a
     * page costs as many wake-ups as there are workers that sleep, and not one per event.
     */
    private void wakeNext() {
        if (!hot.isEmpty() || !cold.isEmpty()) {
            changed.signal();
        }
        if (waitingForFull > 0 && waiting == 0 && hasFull()) {
            full.signalAll();
        }
    }

    private boolean hasFull() {
        return hot.size() >= lastLimit || cold.size() >= lastLimit;
    }

    /**
     * Waits for an event and moves it into the batch, with up to {@code batchSize} of its route in all. The batch stays
     * empty once the queue is closed and empty, or when the worker has waited for as long as it may. Whatever is
     * thrown, what is in the batch is the caller's.
     *
     * @param batchSize asked without the lock
     * @param leaving runs before the batch is left empty, under the lock: whoever offers an event after that finds one
     * worker
     *     less
     */
    void take(List<HeldEvent> batch, ToIntFunction<HeldEvent> batchSize, long mostNanos, Runnable leaving)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = mostNanos;
            while (!moveFirst(batch)) {
                if (closed || leftNanos <= 0) {
                    leaving.run();
                    return;
                }
                leftNanos = await(leftNanos);
            }
            wakeNext();
        } finally {
            lock.unlock();
        }
        fill(batch, batchSize);
    }

    /**
     * Like {@link #take} for a worker that has batches under way: takes a batch once there are as many events as the
     * last one could have had, or the queue is closed. The batch stays empty if there is something else to do first, or
     * after a while.
     */
    void takeFull(List<HeldEvent> batch, ToIntFunction<HeldEvent> batchSize, BooleanSupplier hasOtherWork)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long leftNanos = LONGEST_WAIT_NANOS;
            while (!closed && !hasFull()) {
                if (leftNanos <= 0 || hasOtherWork.getAsBoolean()) {
                    return;
                }
                waitingForFull++;
                try {
                    leftNanos = full.awaitNanos(leftNanos);
                } finally {
                    waitingForFull--;
                }
            }
            if (!moveFirst(batch)) {
                return;
            }
            wakeNext();
        } finally {
            lock.unlock();
        }
        fill(batch, batchSize);
    }

    /** Lets workers that wait for a full batch see that there is something else to do. */
    void wakeForAnswer() {
        lock.lock();
        try {
            if (waitingForFull > 0) {
                full.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private long await(long nanos) throws InterruptedException {
        waiting++;
        try {
            return changed.awaitNanos(nanos);
        } finally {
            waiting--;
        }
    }

    /** Returns whether there are more events than workers that wait for one. */
    boolean isShortOfWorkers() {
        lock.lock();
        try {
            return hot.size() + cold.size() > waiting;
        } finally {
            lock.unlock();
        }
    }

    /** Like {@link #take}, but leaves the batch empty instead of waiting. */
    void poll(List<HeldEvent> batch, ToIntFunction<HeldEvent> batchSize) {
        boolean found;
        lock.lock();
        try {
            found = moveFirst(batch);
        } finally {
            lock.unlock();
        }
        if (found) {
            fill(batch, batchSize);
        }
    }

    private boolean moveFirst(List<HeldEvent> batch) {
        boolean hotTurn = hotInARow < HOT_SHARE;
        Half chosen = (hotTurn && !hot.isEmpty()) || cold.isEmpty() ? hot : cold;
        if (!chosen.moveFirst(batch)) {
            return false;
        }
        hotInARow = chosen == hot ? Math.min(hotInARow + 1, HOT_SHARE) : 0;
        return true;
    }

    private void fill(List<HeldEvent> batch, ToIntFunction<HeldEvent> batchSize) {
        HeldEvent first = batch.get(0);
        int limit = batchSize.applyAsInt(first);
        lastLimit = limit;
        if (limit <= 1) {
            return;
        }
        lock.lock();
        try {
            half(first.queued().source()).fill(batch, limit);
        } finally {
            lock.unlock();
        }
    }

    /** Refuses further events and wakes all waiting workers; what is queued can still be taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            full.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Runs the action, and removes and returns what is unwanted: nothing is offered or taken in between. */
    List<HeldEvent> remove(Predicate<HeldEvent> unwanted, Runnable action) {
        lock.lock();
        try {
            removals++;
            action.run();
            List<HeldEvent> removed = new ArrayList<>();
            hot.remove(unwanted, removed);
            cold.remove(unwanted, removed);
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long the event has waited that comes first, or 0 if there is none. */
    long longestWaitNanos() {
        lock.lock();
        try {
            return Math.max(hot.waitNanos(), cold.waitNanos());
        } finally {
            lock.unlock();
        }
    }

    /** Returns how often something was to be removed. */
    int removals() {
        return locked(() -> removals);
    }

    int hotSize() {
        return locked(hot::size);
    }

    int coldSize() {
        return locked(cold::size);
    }

    int hotRemaining() {
        return locked(() -> closed ? 0 : hot.remaining());
    }

    int coldRemaining() {
        return locked(() -> closed ? 0 : cold.remaining());
    }

    private int locked(IntSupplier value) {
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
        private final AtomicInteger depth;
        private final Deque<HeldEvent> aside = new ArrayDeque<>();
        private final Queue<HeldEvent> queue;

        Half(int capacity, AtomicInteger depth) {
            this.capacity = capacity;
            this.depth = depth;
            this.queue = new ArrayBlockingQueue<>(capacity);
        }

        void add(HeldEvent event) {
            queue.add(event);
            depth.incrementAndGet();
        }

        boolean moveFirst(List<HeldEvent> batch) {
            Queue<HeldEvent> from = aside.isEmpty() ? queue : aside;
            HeldEvent first = from.peek();
            if (first == null) {
                return false;
            }
            batch.add(first);
            from.remove();
            depth.decrementAndGet();
            return true;
        }

        /** Moves further events of the first one's route into the batch. */
        void fill(List<HeldEvent> batch, int limit) {
            HeldEvent first = batch.get(0);
            for (Iterator<HeldEvent> it = aside.iterator(); batch.size() < limit && it.hasNext(); ) {
                HeldEvent next = it.next();
                if (next.isOfSameRoute(first)) {
                    batch.add(next);
                    it.remove();
                    depth.decrementAndGet();
                } else if (strictOrder) {
                    return;
                }
            }
            while (batch.size() < limit && aside.size() < MAX_SET_ASIDE) {
                HeldEvent next = queue.peek();
                if (next == null) {
                    return;
                }
                if (next.isOfSameRoute(first)) {
                    batch.add(next);
                    depth.decrementAndGet();
                } else {
                    aside.add(next);
                }
                queue.remove();
                if (strictOrder && !aside.isEmpty()) {
                    return;
                }
            }
        }

        long waitNanos() {
            HeldEvent first = aside.isEmpty() ? queue.peek() : aside.peek();
            return first == null ? 0 : first.hold().queuedNanos();
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

        void remove(Predicate<HeldEvent> unwanted, List<HeldEvent> removed) {
            int before = size();
            aside.removeIf(event -> unwanted.test(event) && removed.add(event));
            queue.removeIf(event -> unwanted.test(event) && removed.add(event));
            depth.addAndGet(size() - before);
        }
    }
}
