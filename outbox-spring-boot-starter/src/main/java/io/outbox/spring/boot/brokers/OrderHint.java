package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.spring.boot.OutboxProperties.OrderBy;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Says once how events of a key keep their order on their way to a broker: with the first event that has a key, since
 * routes and keys are not known before. Where {@code outbox.ordering} is set, it only says once for each type whose
 * events keep their order that their route has Kafka keep another one. Thread-safe.
 */
final class OrderHint {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final String ORDERING = "outbox.ordering";
    private static final String EXCEPT_TYPES = "outbox.keyed.except-types";

    private final AtomicBoolean isDone;
    private final boolean isByKey;
    private final Set<String> exceptTypes;
    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    OrderHint(ExplicitSettings explicit) {
        this.isDone = new AtomicBoolean(explicit.has(ORDERING));
        this.isByKey = explicit.value(ORDERING, OrderBy.class).orElse(OrderBy.NONE) == OrderBy.KEY;
        this.exceptTypes =
                Set.copyOf(List.of(explicit.value(EXCEPT_TYPES, String[].class).orElse(new String[0])));
    }

    /** Looks at an event that is written for a broker. */
    void written(EventEnvelope event, SenderType broker) {
        if (event.key() != null && !event.isDelayed() && isDone.compareAndSet(false, true)) {
            LOG.log(
                    Level.INFO,
                    "Events with a key, such as those of type {0}, go to {1} in no particular order: one that is tried again, or"
                            + " that another instance delivers, can arrive after a later one of its key. To deliver events of a"
                            + " key in the order in which they were written, set outbox.ordering=key; if their order does not"
                            + " matter, set outbox.ordering=none",
                    event.eventType(),
                    broker);
        }
    }

    /** Returns whether the route of an event that is written for a broker is to be looked at. */
    boolean asksForRoute(EventEnvelope event, SenderType broker) {
        return isByKey
                && broker == SenderType.KAFKA
                && event.key() != null
                && !event.isDelayed()
                && !exceptTypes.contains(event.eventType())
                && !warned.contains(event.eventType());
    }

    /**
     * Looks at the route of an event, if it is asked for.
     *
     * @param isPartitionedByKey whether events of one key go to one partition, although the route names it
     */
    void routed(EventEnvelope event, OutboxRoute route, boolean isPartitionedByKey) {
        if (hasOtherOrder(route, event.key(), isPartitionedByKey) && warned.add(event.eventType())) {
            LOG.log(
                    Level.WARNING,
                    "Events of type {0} are sent in the order of their key, but their route gives the records another key or a"
                            + " partition. Kafka keeps the order of records in one partition only, so consumers may see"
                            + " events of a key in another order. Remove {1} and {2} (or what the OutboxRouter sets for"
                            + " them), or write the events with the same key; if their order does not matter, add the type"
                            + " to " + EXCEPT_TYPES,
                    event.eventType(),
                    PublisherKeys.ofEvent(event.eventType(), "key"),
                    PublisherKeys.ofEvent(event.eventType(), "partition"));
        }
    }

    /** A partition decides alone, whatever the key of the record. */
    private static boolean hasOtherOrder(OutboxRoute route, String key, boolean isPartitionedByKey) {
        return route.partition() != null
                ? !isPartitionedByKey
                : route.key() != null && !route.key().equals(key);
    }
}
