package io.outbox.internal.polling;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The claims of a feed whose answer got lost. Such a claim may have locked events in this node's name, which the node does not
 * know of and nobody else may take. So the walks that follow take them, until one has come to its end that began late enough
 * for the lost claim to have taken effect. Used by one thread at a time.
 */
public final class LostAnswers {

    /** How long a claim may be under way after its answer is given up; what takes longer waits for the end of the lease. */
    private static final long LATE_EFFECT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int MOST = 16;

    private final Map<String, Long> lostAtNanos = new HashMap<>();

    /** Notes that a claim under this name was not answered. */
    public void add(String holder) {
        if (lostAtNanos.size() < MOST || lostAtNanos.containsKey(holder)) {
            lostAtNanos.put(holder, System.nanoTime());
        }
    }

    public boolean isEmpty() {
        return lostAtNanos.isEmpty();
    }

    public Set<String> holders() {
        return lostAtNanos.keySet();
    }

    /** Notes that a walk through all events of the feed that began then has come to its end. */
    public void walked(long beganAtNanos) {
        lostAtNanos.values().removeIf(lostAt -> beganAtNanos - lostAt > LATE_EFFECT_NANOS);
    }
}
