package io.outbox.internal.watch;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * What this node's own calls tell about the store.
 *
 * <p>After an outage that lasted longer than the lease every lock in the store has run out, those of healthy nodes too,
 * which are about to write their outcomes. So a node that has seen its calls fail, or answered late, or not answered yet,
 * takes nothing over for a while, and lets the others speak first. And as soon as a call succeeds again, whoever has
 * something to tell the store is told.
 */
public final class StoreWatch {

    private static final Duration LONGEST_CAUTION = Duration.ofSeconds(3);
    private static final Duration ALWAYS_IN_TIME = Duration.ofMillis(500);

    private final Map<Thread, Long> underWay = new ConcurrentHashMap<>();
    private final List<Runnable> onRecovery = new CopyOnWriteArrayList<>();
    private volatile long lateNanos = TimeUnit.SECONDS.toNanos(1);
    private volatile long cautionNanos = LONGEST_CAUTION.toNanos();
    private volatile boolean failing;
    private volatile boolean cautious;
    private volatile long troubleEndedAt;

    /** Measures by the lease under which events are held: a call is late after a third of it. */
    public void expect(Duration lease) {
        lateNanos = Math.max(ALWAYS_IN_TIME.toNanos(), lease.toNanos() / 3);
        cautionNanos = Math.min(LONGEST_CAUTION.toNanos(), lease.toNanos());
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
            trouble(now);
        }
        if (failing) {
            failing = false;
            trouble(now);
            onRecovery.forEach(Runnable::run);
        }
    }

    void callFailed() {
        underWay.remove(Thread.currentThread());
        failing = true;
    }

    private void trouble(long now) {
        troubleEndedAt = now;
        cautious = true;
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
        if (cautious && now - troubleEndedAt < cautionNanos) {
            return false;
        }
        return underWay.values().stream().noneMatch(began -> now - began > lateNanos);
    }
}
