package io.outbox.internal.polling;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The claims of a feed whose answer got lost, and commits of which nobody knows the end. Such a call may have locked events in this node's name, which the node does not
 * know of and nobody else may take. So the walks that follow take them, until one has come to its end that began late enough
 * for the lost claim to have taken effect.
 *
 * <p>If the answer to such a walk gets lost too, the same events are locked under its name. So of many names the newest are
 * those that count. Used by one thread at a time.
 */
public final class LostAnswers {

    /** How long a claim may be under way after its answer is given up; what takes longer waits for the end of the lease. */
    private static final long LATE_EFFECT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** More than the claims that can get lost in that time on a database that answers now and then. */
    private static final int MOST = 64;

    /** By age, the oldest first. */
    private final Map<String, Long> lostAtNanos = new LinkedHashMap<>();

    /** Notes that a call under this name was not answered. */
    public void add(String holder) {
        lostAtNanos.remove(holder);
        if (lostAtNanos.size() == MOST) {
            lostAtNanos.remove(lostAtNanos.keySet().iterator().next());
        }
        lostAtNanos.put(holder, System.nanoTime());
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
