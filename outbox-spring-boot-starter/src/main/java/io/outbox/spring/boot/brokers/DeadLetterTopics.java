package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.HashMap;
import java.util.Map;

/** Where events are sent before they go DEAD, by the settings of their types. Checked when it is made; thread-safe. */
final class DeadLetterTopics {

    private static final String NAME = "dead-letter-topic";

    private final Map<String, RoutePart> topics = new HashMap<>();

    DeadLetterTopics(OutboxPublisherProperties publisher) {
        SenderSettings senders = new SenderSettings(publisher);
        String byDefault = publisher.defaults().deadLetterTopic();
        publisher.events().forEach((type, event) -> {
            String own = event.deadLetterTopic();
            String text = own == null ? byDefault : own;
            if (text != null && !text.isBlank()) {
                String key = own == null ? PublisherKeys.of("defaults." + NAME) : PublisherKeys.ofEvent(type, NAME);
                topics.put(type, part(key, text, senders.of(event).type()));
            }
        });
    }

    private static RoutePart part(String key, String text, SenderType sender) {
        RoutePart part = new RoutePart(
                new RouteText(key, text),
                OutboxRoute::topic,
                (route, value) -> route.topic(TypeRoute.topic(value.toString(), sender)));
        if (part.isConstant()) {
            part.addConstant(OutboxRoute.builder());
        }
        return part;
    }

    /**
     * Returns where an event is sent, or {@code null} if it is not.
     *
     * @throws io.outbox.UnrecoverableException if an expression fails
     */
    String of(EventEnvelope event) {
        RoutePart part = topics.get(event.eventType());
        if (part == null) {
            return null;
        }
        OutboxRoute.Builder route = OutboxRoute.builder();
        part.addTo(route, new RoutedEvent(event));
        return route.build().topic();
    }
}
