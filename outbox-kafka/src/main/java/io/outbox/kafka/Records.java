package io.outbox.kafka;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.RecoverableException;
import io.outbox.UnrecoverableException;
import io.outbox.sender.MessageHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;

/** How events become records, for all that send them. Thread-safe. */
public final class Records {

    /** What Kafka's protocol binding of CloudEvents has before the names of attributes. */
    static final String CLOUD_EVENT = "ce_";

    private static final String CONTENT_TYPE = "content-type";
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final OutboxRouter router;
    private final MessageHeaders messageHeaders;
    private final List<KafkaRecordCustomizer> customizers;

    /** Records as {@link KafkaEventPublisher} sends them if only routes are configured. */
    public Records(OutboxRouter router) {
        this(router, new MessageHeaders(Map.of(), null, CLOUD_EVENT), List.of());
    }

    Records(OutboxRouter router, MessageHeaders messageHeaders, List<KafkaRecordCustomizer> customizers) {
        this.router = router;
        this.messageHeaders = messageHeaders;
        this.customizers = List.copyOf(customizers);
    }

    /** Returns the record for an event; what it throws is the failure of this event. */
    public ProducerRecord<byte[], byte[]> of(EventEnvelope event) {
        return of(event, Objects.requireNonNullElse(router.route(event), OutboxRoute.open()));
    }

    /** Returns the record for an event that goes by another route than its own. */
    ProducerRecord<byte[], byte[]> of(EventEnvelope event, OutboxRoute route) {
        ProducerRecord<byte[], byte[]> outgoing = routed(event, route);
        for (KafkaRecordCustomizer customizer : customizers) {
            outgoing = customizer.customize(outgoing, event);
            if (outgoing == null) {
                throw new RecoverableException(customizer + " returned no record for event type " + event.eventType());
            }
        }
        return outgoing;
    }

    private ProducerRecord<byte[], byte[]> routed(EventEnvelope event, OutboxRoute route) {
        if (route.topic() == null || route.topic().isBlank()) {
            throw new RecoverableException("no topic is configured for event type " + event.eventType());
        }
        String key = route.key() != null ? route.key() : event.key();
        ProducerRecord<byte[], byte[]> outgoing = new ProducerRecord<>(
                route.topic(),
                route.partition(),
                route.timestamp() == null ? null : milliseconds(route.timestamp()),
                key == null || key.isEmpty() ? null : utf8(key),
                event.isTombstone() ? null : event.payloadBytes());
        Headers headers = outgoing.headers();
        headers(event, route).forEach((name, text) -> StoredHeaders.restore(name, text, headers));
        return outgoing;
    }

    private Map<String, String> headers(EventEnvelope event, OutboxRoute route) {
        Map<String, String> headers = messageHeaders.of(event, route);
        if (messageHeaders.areOfCloudEvents() && !event.isTombstone()) {
            headers.putIfAbsent(CONTENT_TYPE, event.isBinary() ? "application/octet-stream" : "application/json");
        }
        return headers;
    }

    /** Returns a time as Kafka has it; what it does not have can never be sent. */
    private static long milliseconds(Instant timestamp) {
        if (timestamp.isBefore(Instant.EPOCH) || timestamp.isAfter(LATEST)) {
            throw new UnrecoverableException(
                    "timestamp " + timestamp + " is not valid for a record: it must be from 1970 to the year 9999");
        }
        return timestamp.toEpochMilli();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
