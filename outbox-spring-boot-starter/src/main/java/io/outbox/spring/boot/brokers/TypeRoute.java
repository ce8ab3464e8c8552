package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * The route of one event type, by its settings. What is constant is made once. Checked when it is made; thread-safe.
 */
final class TypeRoute {

    private final OutboxRoute constant;
    private final List<RoutePart> computed;
    private final Set<String> partitionedBy;

    private TypeRoute(OutboxRoute constant, List<RoutePart> computed, Set<String> partitionedBy) {
        this.constant = constant;
        this.computed = List.copyOf(computed);
        this.partitionedBy = partitionedBy;
    }

    /** @param defaultTopic where events go if the type has no topic of its own, or {@code null} */
    static TypeRoute of(String type, OutboxEventProperties event, String defaultTopic, SenderType sender) {
        Parts parts = new Parts();
        String topicKey = event.topic() == null && defaultTopic != null
                ? PublisherKeys.of("defaults.topic")
                : PublisherKeys.ofEvent(type, "topic");
        parts.add(
                topicKey,
                event.topic() == null ? defaultTopic : event.topic(),
                OutboxRoute::topic,
                (route, value) -> route.topic(topic(value.toString(), sender)));
        parts.add(
                PublisherKeys.ofEvent(type, "key"),
                event.key(),
                OutboxRoute::key,
                (route, value) -> route.key(value.toString()));
        parts.add(
                PublisherKeys.ofEvent(type, "partition"),
                event.partition(),
                OutboxRoute::partition,
                (route, value) -> route.partition(partition(value)));
        parts.add(
                PublisherKeys.ofEvent(type, "routing-key"),
                event.routingKey(),
                OutboxRoute::routingKey,
                (route, value) -> route.routingKey(value.toString()));
        parts.add(
                PublisherKeys.ofEvent(type, "timestamp"),
                event.timestamp(),
                OutboxRoute::timestamp,
                (route, value) -> route.timestamp(timestamp(value)));
        event.headers()
                .forEach((name, text) -> parts.add(
                        PublisherKeys.ofHeader(type, name),
                        text,
                        route -> route.headers().get(name),
                        (route, value) -> route.header(name, value.toString())));
        Set<String> partitionedBy = event.partition() == null
                ? Set.of()
                : new RouteText(PublisherKeys.ofEvent(type, "partition"), event.partition()).properties();
        return new TypeRoute(parts.constants.build(), parts.computed, partitionedBy);
    }

    /** Returns the name of a topic or exchange, which must be one that the broker can have. */
    static String topic(String name, SenderType sender) {
        if (sender == SenderType.KAFKA && !KafkaTopics.isName(name)) {
            throw new IllegalArgumentException(KafkaTopics.RULE);
        }
        return name;
    }

    private static Integer partition(Object value) {
        try {
            return Integer.valueOf(value.toString());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("is not a whole number");
        }
    }

    private static Instant timestamp(Object value) {
        if (value instanceof Instant instant) {
            return instant;
        }
        try {
            return value instanceof Number milliseconds
                    ? Instant.ofEpochMilli(milliseconds.longValue())
                    : Instant.parse(value.toString());
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(
                    "is not a time: use an Instant, its text such as 2030-01-31T12:00:00Z, or milliseconds since 1970");
        }
    }

    boolean isConstant() {
        return computed.isEmpty();
    }

    /** Returns the properties of an event from which its partition is computed. */
    Set<String> partitionedBy() {
        return partitionedBy;
    }

    /** Returns the route of an event of which some parts are given. */
    OutboxRoute of(EventEnvelope event, OutboxRoute given) {
        OutboxRoute known = given.orElse(constant);
        if (computed.isEmpty()) {
            return known;
        }
        OutboxRoute.Builder route = known.toBuilder();
        RoutedEvent routed = new RoutedEvent(event);
        for (RoutePart part : computed) {
            if (part.isOpenIn(given)) {
                part.addTo(route, routed);
            }
        }
        return route.build();
    }

    /** Tells constants from what is computed. */
    private static final class Parts {

        private final OutboxRoute.Builder constants = OutboxRoute.builder();
        private final List<RoutePart> computed = new ArrayList<>();

        private void add(
                String key, String text, Function<OutboxRoute, ?> given, BiConsumer<OutboxRoute.Builder, Object> use) {
            if (text == null) {
                return;
            }
            RoutePart part = new RoutePart(new RouteText(key, text), given, use);
            if (part.isConstant()) {
                part.addConstant(constants);
            } else {
                computed.add(part);
            }
        }
    }
}
