package io.outbox.spring.boot.internal.listeners;

import io.outbox.AggregateType;
import io.outbox.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * For whom this application writes events although others deliver them, by {@code outbox.subscriptions}: event types,
 * perhaps after an aggregate type and a slash, and the names of their subscriptions.
 */
final class ListenersElsewhere {

    /** Stands for the listener without a name, and for whoever else reads the table. */
    static final String UNNAMED = "unnamed";

    private static final String KEY = "outbox.subscriptions";

    private final List<Subscription> subscriptions = new ArrayList<>();
    private final List<ListenerRoute> unnamed = new ArrayList<>();

    ListenersElsewhere(Map<String, List<String>> settings) {
        settings.forEach((key, names) -> {
            ListenerRoute route = route(key);
            names.forEach(name -> add(key, route, name));
        });
    }

    private static ListenerRoute route(String key) {
        int slash = key.indexOf('/');
        return slash < 0
                ? new ListenerRoute(AggregateType.GLOBAL.name(), key)
                : new ListenerRoute(key.substring(0, slash), key.substring(slash + 1));
    }

    private void add(String key, ListenerRoute route, String name) {
        if (name.equals(UNNAMED)) {
            unnamed.add(route);
            return;
        }
        try {
            subscriptions.add(Subscription.of(name, route.aggregateType(), route.eventType()));
        } catch (IllegalArgumentException e) {
            // the constructor with a cause is not public on Spring Boot 3
            throw new InvalidConfigurationPropertyValueException(KEY + "[" + key + "]", name, e.getMessage());
        }
    }

    List<Subscription> subscriptions() {
        return subscriptions;
    }

    List<ListenerRoute> unnamed() {
        return unnamed;
    }

    /** Returns whether others have a listener for the route, with a name or without. */
    boolean has(String aggregateType, String eventType) {
        ListenerRoute route = new ListenerRoute(aggregateType, eventType);
        return unnamed.contains(route)
                || subscriptions.stream()
                        .anyMatch(subscription -> new ListenerRoute(
                                        subscription.aggregateType(), subscription.eventType())
                                .equals(route));
    }
}
