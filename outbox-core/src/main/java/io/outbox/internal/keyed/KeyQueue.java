package io.outbox.internal.keyed;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/** The keys that are to be looked at, now or later, and the time of the next sweep. Bounded. Thread-safe. */
final class KeyQueue {

    /** More than this are left to the sweep. */
    private static final int MOST = 10_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Set<String> wanted = new LinkedHashSet<>();
    private final NavigableSet<Later> later = new TreeSet<>();
    private long sweepAtNanos = System.nanoTime();
    private long sweepBeganAtNanos = sweepAtNanos;
    private boolean isPoked;
    private boolean isClosed;

    private record Later(String key, long atNanos) implements Comparable<Later> {
        @Override
        public int compareTo(Later other) {
            int byTime = Long.compare(atNanos - other.atNanos, 0);
            return byTime == 0 ? key.compareTo(other.key) : byTime;
        }
    }

    /** Has a key looked at now. */
    void add(String key) {
        lock.lock();
        try {
            if (wanted.size() >= MOST) {
                sweepAtNanos = Math.min(sweepAtNanos, System.nanoTime());
            } else {
                wanted.add(key);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has a key looked at after a while, whatever other times it has: an earlier look may find its head not due yet. If
     * there are too many, all keys are looked at when the last of them would be.
     */
    void addIn(String key, long nanos) {
        lock.lock();
        try {
            later.add(new Later(key, System.nanoTime() + Math.max(0, nanos)));
            if (later.size() > MOST) {
                sweepAt(later.pollLast().atNanos);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Has all keys looked at after a while; an earlier time counts. */
    void sweepIn(long nanos) {
        lock.lock();
        try {
            sweepAt(System.nanoTime() + nanos);
        } finally {
            lock.unlock();
        }
    }

    /** Has all keys looked at now, or that long after the last sweep has begun. */
    void sweepAfterLast(long nanos) {
        lock.lock();
        try {
            sweepAt(sweepBeganAtNanos + nanos);
        } finally {
            lock.unlock();
        }
    }

    private void sweepAt(long atNanos) {
        if (atNanos - sweepAtNanos < 0) {
            sweepAtNanos = atNanos;
            changed.signalAll();
        }
    }

    /** Sets the time of the next sweep, since one begins. */
    void sweepBegins(long nextNanos) {
        lock.lock();
        try {
            sweepBeganAtNanos = System.nanoTime();
            sweepAtNanos = sweepBeganAtNanos + nextNanos;
        } finally {
            lock.unlock();
        }
    }

    boolean isTimeToSweep() {
        lock.lock();
        try {
            return sweepAtNanos - System.nanoTime() <= 0;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is something to do, but not for longer than so. */
    void await(long mostNanos, boolean forKeys, boolean forSweep) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long deadline = System.nanoTime() + mostNanos;
            while (!isClosed && !isPoked && !(forKeys && hasKeys()) && !(forSweep && isTimeToSweep())) {
                long until = deadline - System.nanoTime();
                if (forSweep) {
                    until = Math.min(until, sweepAtNanos - System.nanoTime());
                }
                if (forKeys && !later.isEmpty()) {
                    until = Math.min(until, later.first().atNanos - System.nanoTime());
                }
                if (deadline - System.nanoTime() <= 0) {
                    return;
                }
                changed.awaitNanos(Math.max(1, until));
            }
        } finally {
            isPoked = false;
            lock.unlock();
        }
    }

    private boolean hasKeys() {
        return !wanted.isEmpty() || isLaterDue();
    }

    private boolean isLaterDue() {
        return !later.isEmpty() && later.first().atNanos - System.nanoTime() <= 0;
    }

    boolean isEmpty() {
        lock.lock();
        try {
            return !hasKeys();
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns keys to look at, up to so many; those that fail the test are removed and not returned. */
    List<String> take(int most, Predicate<String> mayBeLookedAt) {
        lock.lock();
        try {
            while (isLaterDue()) {
                wanted.add(later.pollFirst().key);
            }
            List<String> taken = new ArrayList<>();
            for (var keys = wanted.iterator(); taken.size() < most && keys.hasNext(); ) {
                String key = keys.next();
                keys.remove();
                if (mayBeLookedAt.test(key)) {
                    taken.add(key);
                }
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a wait, since there is room again. */
    void poke() {
        lock.lock();
        try {
            isPoked = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
