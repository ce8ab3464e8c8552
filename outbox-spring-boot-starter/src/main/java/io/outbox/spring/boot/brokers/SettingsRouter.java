package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.spring.boot.OutboxPublisherProperties;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Routes events by the settings of their types. Checked when it is made; thread-safe. */
final class SettingsRouter {

    private final Map<String, TypeRoute> routes = new HashMap<>();

    SettingsRouter(OutboxPublisherProperties publisher) {
        SenderSettings senders = new SenderSettings(publisher);
        String defaultTopic = publisher.defaults().topic();
        publisher
                .events()
                .forEach((type, event) -> routes.put(
                        type,
                        TypeRoute.of(
                                type, event, defaultTopic, senders.of(event).type())));
    }

    /** Returns the route of an event of which some parts are given. */
    OutboxRoute route(EventEnvelope event, OutboxRoute given) {
        TypeRoute route = routes.get(event.eventType());
        return route == null ? given : route.of(event, given);
    }

    /** Returns whether the partition of an event is computed, and from nothing but its key. */
    boolean isPartitionedByKey(EventEnvelope event) {
        TypeRoute route = routes.get(event.eventType());
        return route != null
                && !route.partitionedBy().isEmpty()
                && route.partitionedBy().stream()
                        .allMatch(property -> property.equals("key")
                                || (property.equals("aggregateId")
                                        && Objects.equals(event.aggregateId(), event.key())));
    }

    /** Returns whether all events of the type have the same route. */
    boolean isConstant(String eventType) {
        TypeRoute route = routes.get(eventType);
        return route == null || route.isConstant();
    }
}
