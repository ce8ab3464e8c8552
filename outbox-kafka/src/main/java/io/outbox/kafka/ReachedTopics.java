package io.outbox.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The topics of which all partitions have taken a record. Until then a topic is {@linkplain FreshTopic fresh}, and its
 * records go out one at a time.
 *
 * <p>A partition that was just created may refuse the first request of a producer, since its leader is not ready yet,
 * and take the second, which was under way by then: a leader that has never heard of the producer takes any sequence
 * number. The order is lost then, and the first request is refused as out of order until the delivery timeout is over.
 *
 * <p>Names of topics may be computed, so that there is no end of those that do not exist: a fresh topic is forgotten
 * when nobody sends to it, unless it has answered. Thread-safe.
 */
final class ReachedTopics {

    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private final Map<String, FreshTopic> fresh = new ConcurrentHashMap<>();

    boolean contains(String topic) {
        return reached.contains(topic);
    }

    /**
     * Returns a topic that is not reached yet, for somebody who has events for it and calls {@link #leave} afterwards.
     */
    FreshTopic enter(String topic) {
        return fresh.compute(topic, (name, known) -> (known == null ? new FreshTopic() : known).entered());
    }

    void leave(String topic) {
        fresh.computeIfPresent(topic, (name, known) -> known.left() || isAnswering(name, known) ? known : null);
    }

    private boolean isAnswering(String topic, FreshTopic known) {
        return known.hasAnswered() && !reached.contains(topic);
    }

    /** Notes that a partition has taken a record. */
    void taken(String topic, int partition) {
        FreshTopic known = fresh.get(topic);
        if (known != null) {
            known.taken(partition);
        }
    }

    /** Counts a topic as reached if it has answered for so many partitions. */
    void checkPartitions(String topic, int partitions) {
        check(topic, known -> known.hasAnswered(partitions));
    }

    /** Counts a topic as reached if its first answer is long ago. */
    void checkTime(String topic) {
        check(topic, FreshTopic::isOld);
    }

    private void check(String topic, Predicate<FreshTopic> isReached) {
        FreshTopic known = fresh.get(topic);
        if (known != null && isReached.test(known)) {
            reached.add(topic);
            fresh.remove(topic);
        }
    }

    /** Notes that a topic may not be there any more. */
    void forget(String topic) {
        reached.remove(topic);
    }

    /** Returns how many topics are fresh. */
    int fresh() {
        return fresh.size();
    }
}
