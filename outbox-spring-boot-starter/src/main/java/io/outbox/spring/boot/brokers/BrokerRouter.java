package io.outbox.spring.boot.brokers;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.UnrecoverableException;
import io.outbox.WriterHook;
import io.outbox.kafka.StoredHeaders;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The routes of the events that go to a broker: by the application's router, and for what that leaves open by settings.
 *
 * <p>A route is decided when an event is sent, out of what is stored, so it does not matter how the event was written.
 * It is also decided when the event is written, to refuse one that has none while its transaction can still be rolled
 * back. Where all events of a type have the same route, there is nothing to decide.
 *
 * <p>Thread-safe.
 */
final class BrokerRouter implements OutboxRouter, WriterHook {

    /** The longest name in AMQP. */
    private static final int MOST_BYTES = 255;

    private static final String HEADER = "header's name";

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final SettingsRouter settings;
    private final OutboxRouter own;
    private final JsonCodec codec;
    private final OrderHint hint;
    private final Map<String, SenderType> brokers = new HashMap<>();
    private final DeadLetterTopics deadLetters;

    /**
     * Makes the routes.
     *
     * @param own the application's router, or {@code null}
     * @param codec what reads the payloads of events that are about to be written; {@code null} for the default
     */
    BrokerRouter(OutboxPublisherProperties publisher, OutboxRouter own, JsonCodec codec, OrderHint hint) {
        this.settings = new SettingsRouter(publisher);
        this.own = own;
        this.codec = codec;
        this.deadLetters = new DeadLetterTopics(publisher);
        this.hint = hint;
        SenderSettings senders = new SenderSettings(publisher);
        publisher
                .events()
                .forEach((type, event) -> brokers.put(type, senders.of(event).type()));
    }

    @Override
    public OutboxRoute route(EventEnvelope event) {
        OutboxRoute given = own == null ? null : own.route(event);
        return settings.route(event, given == null ? OutboxRoute.open() : given);
    }

    /** Returns where an event is sent before it goes DEAD, or {@code null} if it is not sent. */
    String deadLetterTopic(EventEnvelope event) {
        return deadLetters.of(event);
    }

    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        events.forEach(this::requireRoute);
        return events;
    }

    private void requireRoute(EventEnvelope event) {
        SenderType broker = brokers.get(event.eventType());
        if (broker == null) {
            return;
        }
        hint.written(event, broker);
        if (broker == SenderType.KAFKA) {
            StoredHeaders.requireRestorable(event);
        } else {
            requireShort(event, "type", event.eventType()); // also the default routing key
            event.headers().keySet().forEach(name -> requireShort(event, HEADER, name));
        }
        if (isConstant(event) && !event.isTombstone()) {
            if (hint.asksForRoute(event, broker)) {
                hint.routed(event, route(event), false);
            }
            return;
        }
        OutboxRoute route = route(codec == null ? event : event.readBy(codec));
        if (hint.asksForRoute(event, broker)) {
            hint.routed(event, route, own == null && settings.isPartitionedByKey(event));
        }
        if (route.topic() == null) {
            throw refused(event, "neither its settings nor the OutboxRouter give it a topic");
        }
        if (broker == SenderType.KAFKA && !KafkaTopics.isName(route.topic())) {
            throw refused(event, "topic '" + route.topic() + "' " + KafkaTopics.RULE);
        }
        requireTimestamp(event, route.timestamp());
        if (broker == SenderType.RABBIT_MQ) {
            requireShort(event, "exchange", route.topic());
            requireShort(event, "routing key", route.routingKey());
            route.headers().keySet().forEach(name -> requireShort(event, HEADER, name));
        }
        if (event.isTombstone()) {
            requireTombstone(event, route, broker);
        }
    }

    private boolean isConstant(EventEnvelope event) {
        return own == null && settings.isConstant(event.eventType());
    }

    private static void requireTimestamp(EventEnvelope event, Instant timestamp) {
        if (timestamp != null && (timestamp.isBefore(Instant.EPOCH) || timestamp.isAfter(LATEST))) {
            throw refused(event, "timestamp " + timestamp + " is not between 1970 and the year 9999");
        }
    }

    private static void requireShort(EventEnvelope event, String part, String name) {
        int bytes = name == null ? 0 : name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MOST_BYTES) {
            throw refused(event, "its " + part + " has " + bytes + " bytes, but RabbitMQ takes at most " + MOST_BYTES);
        }
    }

    private static void requireTombstone(EventEnvelope event, OutboxRoute route, SenderType broker) {
        if (broker != SenderType.KAFKA) {
            throw refused(event, "it is a tombstone, which RabbitMQ does not have");
        }
        String key = route.key() != null ? route.key() : event.key();
        if (key == null || key.isEmpty()) {
            throw refused(event, "it is a tombstone without a key, so no consumer knows what to delete");
        }
    }

    private static UnrecoverableException refused(EventEnvelope event, String reason) {
        return new UnrecoverableException(
                "Event " + event.eventId() + " of type '" + event.eventType() + "' has no route: " + reason);
    }
}
