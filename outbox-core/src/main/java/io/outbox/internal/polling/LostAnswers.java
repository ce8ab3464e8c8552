package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The claims of a feed whose answer got lost, and commits of which nobody knows the end. Such a call may have locked
 * events in this node's name, which the node does not know of and nobody else may take. So the walks that follow take
 * them, until one has come to its end that began late enough for the lost claim to have taken effect, and that left out
 * none of the types of the lost claim: a circuit may be open meanwhile.
 *
 * <p>If the answer to such a walk gets lost too, the same events are locked under its name. So of many names the newest
 * are those that count. Used by one thread at a time.
 */
public final class LostAnswers {

    /**
     * How long a claim may be under way after its answer is given up; what takes longer waits for the end of the lease.
     */
    private static final long LATE_EFFECT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** More than the claims that can get lost in that time on a database that answers now and then. */
    private static final int MOST = 64;

    /** By age, the oldest first. */
    private final Map<String, Loss> losses = new LinkedHashMap<>();

    /** When a name was last lost, and which types its events may have. */
    private record Loss(long atNanos, Set<EventTypes> types) {

        boolean isOver(long beganAtNanos, Predicate<EventTypes> covered) {
            return beganAtNanos - atNanos > LATE_EFFECT_NANOS && types.stream().allMatch(covered);
        }
    }

    /** Notes that a call under this name, about events of these types, was not answered. */
    public void add(String holder, EventTypes types) {
        Loss former = losses.remove(holder);
        if (losses.size() == MOST) {
            losses.remove(losses.keySet().iterator().next());
        }
        Set<EventTypes> all = new HashSet<>(former == null ? Set.of() : former.types);
        all.add(types);
        losses.put(holder, new Loss(System.nanoTime(), all));
    }

    public boolean isEmpty() {
        return losses.isEmpty();
    }

    public Set<String> holders() {
        return losses.keySet();
    }

    /**
     * Notes that a walk that began then has come to its end.
     *
     * @param covered whether it has left out no event of these types
     */
    public void walked(long beganAtNanos, Predicate<EventTypes> covered) {
        losses.values().removeIf(loss -> loss.isOver(beganAtNanos, covered));
    }
}
