package io.outbox.inbox;

import io.outbox.upkeep.Outage;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The one door to the application's cache, of one consumer: what the cache throws stays here, and is logged once. */
final class KnownEvents {

    private static final System.Logger LOG = System.getLogger(KnownEvents.class.getName());

    private final String prefix;
    private final @Nullable ConsumedEventCache cache;
    private final ConsumerMetrics metrics;
    private final Outage outage =
            new Outage(LOG, "The cache of consumed events failed; the database decides what was consumed");

    /** Creates the door; without a cache, nothing is known. */
    KnownEvents(String consumer, @Nullable ConsumedEventCache cache, ConsumerMetrics metrics) {
        this.prefix = consumer.replace("%", "%25").replace(":", "%3A") + ":";
        this.cache = cache;
        this.metrics = metrics;
    }

    /** Returns those of the ids of which the cache knows that their events were consumed. */
    Set<String> among(Collection<String> eventIds) {
        if (cache == null || eventIds.isEmpty()) {
            return Set.of();
        }
        Map<String, String> idsByKey = new LinkedHashMap<>();
        eventIds.forEach(id -> idsByKey.put(prefix + id, id));
        Set<String> known = new HashSet<>();
        try {
            cache.containedAmong(idsByKey.keySet()).forEach(key -> known.add(idsByKey.get(key)));
        } catch (RuntimeException e) {
            outage.failed(e);
            return Set.of();
        }
        known.remove(null);
        metrics.cacheHit(known.size());
        metrics.cacheMiss(eventIds.size() - known.size());
        return known;
    }

    /** Remembers events that were consumed for good. */
    void add(Collection<String> eventIds) {
        if (cache == null || eventIds.isEmpty()) {
            return;
        }
        try {
            cache.addAll(eventIds.stream().map(id -> prefix + id).toList());
        } catch (RuntimeException e) {
            outage.failed(e);
        }
    }
}
