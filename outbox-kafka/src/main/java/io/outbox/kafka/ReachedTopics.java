package io.outbox.kafka;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The topics that have taken a record. Until a topic has, its records go out one at a time.
 *
 * <p>A partition that was just created may refuse the first request of a producer, since its leader is not ready yet, and
 * take the second, which was under way by then: a leader that has never heard of the producer takes any sequence number. The
 * order is lost then, and the first request is refused as out of order until the delivery timeout is over.
 *
 * <p>Thread-safe.
 */
final class ReachedTopics {

    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private final Map<String, ReentrantLock> turns = new ConcurrentHashMap<>();

    boolean contains(String topic) {
        return reached.contains(topic);
    }

    /** Returns the lock under which a record is sent to a topic that has taken none. */
    ReentrantLock turn(String topic) {
        return turns.computeIfAbsent(topic, unreached -> new ReentrantLock());
    }

    /** Notes that a topic has taken a record. */
    void add(String topic) {
        reached.add(topic);
        turns.remove(topic);
    }
}
