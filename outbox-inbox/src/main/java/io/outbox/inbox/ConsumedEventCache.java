package io.outbox.inbox;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Remembers which events were consumed, so that duplicates need not go to the database. Thread-safe.
 *
 * <p>It may forget whatever and whenever it likes. It must not claim to know what it was not told: an event that it
 * knows is skipped, and nobody asks the database. It is told of an event after the commit, never before. If it throws,
 * the database decides.
 *
 * <p>Keys are {@code <consumer>:<event id>}, with {@code %} and {@code :} of the consumer's name escaped.
 */
public interface ConsumedEventCache {

    /** Returns whether this key was added. */
    boolean contains(String key);

    /** Adds a key. */
    void add(String key);

    /** Returns those of the keys that were added. For caches that can find many at once. */
    default Set<String> containedAmong(Collection<String> keys) {
        Set<String> contained = new HashSet<>();
        for (String key : keys) {
            if (contains(key)) {
                contained.add(key);
            }
        }
        return contained;
    }

    /** Adds keys. For caches that can take many at once. */
    default void addAll(Collection<String> keys) {
        keys.forEach(this::add);
    }

    /** Returns a cache in a thread-safe map, whose size and age the caller limits. */
    static ConsumedEventCache of(Map<String, Boolean> map) {
        Objects.requireNonNull(map, "map");
        return new ConsumedEventCache() {
            @Override
            public boolean contains(String key) {
                return map.containsKey(key);
            }

            @Override
            public void add(String key) {
                map.put(key, Boolean.TRUE);
            }
        };
    }
}
