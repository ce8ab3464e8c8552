package io.outbox.internal.watch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What this node's own calls tell about the store.
 *
 * <p>After an outage that lasted longer than the lease every lock in the store has run out, those of healthy nodes too,
 * which are about to write their outcomes. So a node that has seen its calls fail, or answered late, or not answered
 * yet, takes nothing over for a while, and lets the others speak first: the longer the trouble lasted, the longer. And
 * as soon as a call succeeds again, whoever has something to tell the store is told.
 */
public final class StoreWatch {

    /** Longer than a node takes to try again what it could not write. */
    private static final Duration SHORTEST_CAUTION = Duration.ofMillis(500);

    private static final Duration LONGEST_CAUTION = Duration.ofSeconds(3);
    /** The trouble may have begun before a call met it, and end later for others. */
    private static final int CAUTION_FOR_TROUBLE = 4;

    private static final Duration ALWAYS_IN_TIME = Duration.ofMillis(500);

    private final Map<Thread, Long> underWay = new ConcurrentHashMap<>();
    private final List<Runnable> onRecovery = new CopyOnWriteArrayList<>();
    private final AtomicLong doubts = new AtomicLong();
    private volatile long lateNanos = TimeUnit.SECONDS.toNanos(1);
    private volatile long longestCautionNanos = LONGEST_CAUTION.toNanos();
    private volatile boolean failing;
    private volatile long failingSince;
    private volatile boolean cautious;
    private volatile long cautiousUntil;

    /** Measures by the lease under which events are held: a call is late after a third of it. */
    public void expect(Duration lease) {
        lateNanos = Math.max(ALWAYS_IN_TIME.toNanos(), lease.toNanos() / 3);
        longestCautionNanos = Math.min(LONGEST_CAUTION.toNanos(), lease.toNanos());
    }

    /** Adds what to do when the store answers again after calls that failed. */
    public void onRecovery(Runnable action) {
        onRecovery.add(action);
    }

    void callBegins() {
        underWay.put(Thread.currentThread(), System.nanoTime());
    }

    void callSucceeded() {
        Long began = underWay.remove(Thread.currentThread());
        long now = System.nanoTime();
        if (began != null && now - began > lateNanos) {
            beCautious(now, began);
        }
        if (failing) {
            failing = false;
            beCautious(now, failingSince);
            onRecovery.forEach(Runnable::run);
        }
    }

    void callFailed() {
        Long began = underWay.remove(Thread.currentThread());
        if (!failing) {
            if (!isCautious(System.nanoTime())) { // else the same trouble goes on, between calls that succeed
                failingSince = began == null ? System.nanoTime() : began;
            }
            failing = true;
        }
    }

    /** Notes that nobody knows whether a call that claims or changes events has taken effect. */
    public void answerLost() {
        doubts.incrementAndGet();
    }

    /** Returns how often nobody knew whether a call had taken effect. */
    public long doubts() {
        return doubts.get();
    }

    private void beCautious(long now, long since) {
        long wanted = Math.max(SHORTEST_CAUTION.toNanos(), (now - since) * CAUTION_FOR_TROUBLE);
        long until = now + Math.min(wanted, longestCautionNanos);
        if (!cautious || until - cautiousUntil > 0) {
            cautiousUntil = until;
        }
        cautious = true;
    }

    private boolean isCautious(long now) {
        return cautious && cautiousUntil - now > 0;
    }

    /** Returns whether a call has failed and none has succeeded since. */
    public boolean isFailing() {
        return failing;
    }

    /** Returns whether the store has answered all calls in time for long enough to judge other nodes by their locks. */
    public boolean isReliable() {
        if (failing) {
            return false;
        }
        long now = System.nanoTime();
        if (isCautious(now)) {
            return false;
        }
        return underWay.values().stream().noneMatch(began -> now - began > lateNanos);
    }
}
