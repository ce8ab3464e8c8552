package io.outbox.cdc;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.PayloadParseException;
import io.outbox.Subscription;
import io.outbox.kafka.Records;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.connect.components.Versioned;
import org.apache.kafka.connect.connector.ConnectRecord;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.header.ConnectHeaders;
import org.apache.kafka.connect.header.Headers;
import org.apache.kafka.connect.transforms.Transformation;
import org.jspecify.annotations.Nullable;

/**
 * A transform of Kafka Connect that turns what Debezium reads from the log about the outbox table into records of
 * events.
 *
 * <p>The records are those that {@code KafkaEventPublisher} sends for the same events: topic, key, value and headers
 * are equal byte by byte, binary payloads and tombstones included. All of them are bytes, so the connector needs {@code
 * org.apache.kafka.connect.converters.ByteArrayConverter} as {@code key.converter}, {@code value.converter} and {@code
 * header.converter}.
 *
 * <ul>
 *   <li>An inserted row, or one that a snapshot finds, becomes one record, unless the row is DONE or DEAD.
 *   <li>A heartbeat stays one, with its time as JSON text: it moves the position of the connector forward.
 *   <li>Everything else is dropped: updates and deletes (claims, outcomes, purge), and what connectors tell of
 *       transactions and schemas.
 *   <li>A row that cannot be read, or whose topic has no valid name, is an error ({@link DataException}) that names the event.
 *       What follows is up to the connector's {@code errors.tolerance}: it stops ({@code none}, the default) or passes over
 *       the row ({@code all}).
 * </ul>
 *
 * <p>Delivery is at least once and in the order of the log. A delayed event is sent right away: the log knows no due
 * time.
 */
public final class OutboxRecords<R extends ConnectRecord<R>> implements Transformation<R>, Versioned {

    /** The setting for the topic of events. Required. */
    public static final String TOPIC = "topic";
    /**
     * The setting for the topic of events without an aggregate type. Required if {@link #TOPIC} has an aggregate type.
     */
    public static final String DEFAULT_TOPIC = "topic.default";

    private static final ConfigDef CONFIG = new ConfigDef()
            .define(
                    TOPIC,
                    Type.STRING,
                    ConfigDef.NO_DEFAULT_VALUE,
                    ConfigDef.LambdaValidator.with(
                            OutboxRecords::validate, () -> "the name of a topic, with {aggregateType} and {eventType}"),
                    Importance.HIGH,
                    "The topic of events. {aggregateType} and {eventType} stand for those of the event.")
            .define(
                    DEFAULT_TOPIC,
                    Type.STRING,
                    null,
                    ConfigDef.LambdaValidator.with(
                            OutboxRecords::validate, () -> "the name of a topic, with {eventType}"),
                    Importance.MEDIUM,
                    "The topic of events that have no aggregate type. {eventType} stands for that of the event."
                            + " Required if topic has {aggregateType}.");

    // Kafka Connect configures a transform before it uses it.
    @SuppressWarnings("NullAway.Init")
    private TopicPattern topic;

    /** The topic of events without an aggregate type. */
    @SuppressWarnings("NullAway.Init")
    private TopicPattern defaultTopic;

    @SuppressWarnings("NullAway.Init")
    private Records records;

    private static void validate(String name, Object value) {
        if (value != null) {
            TopicPattern pattern = TopicPattern.parse(name, value.toString());
            if (name.equals(DEFAULT_TOPIC) && pattern.needsAggregateType()) {
                throw new ConfigException(
                        name, value, "is for events without an aggregate type, so it cannot have {aggregateType}");
            }
        }
    }

    @Override
    public ConfigDef config() {
        return CONFIG;
    }

    /** @throws ConfigException if a setting is missing or wrong */
    @Override
    public void configure(Map<String, ?> settings) {
        AbstractConfig config = new AbstractConfig(CONFIG, settings, false);
        topic = TopicPattern.parse(TOPIC, config.getString(TOPIC));
        String forNone = config.getString(DEFAULT_TOPIC);
        if (forNone == null && topic.needsAggregateType()) {
            throw new ConfigException(
                    DEFAULT_TOPIC,
                    null,
                    "is missing: " + TOPIC
                            + " has {aggregateType}, and events without an aggregate type need a topic too");
        }
        defaultTopic = forNone == null ? topic : TopicPattern.parse(DEFAULT_TOPIC, forNone);
        records = new Records(event -> OutboxRoute.to(topicOf(event)));
    }

    private String topicOf(EventEnvelope event) {
        boolean hasAggregateType =
                !event.aggregateType().isBlank() && !event.aggregateType().equals(AggregateType.GLOBAL.name());
        return (hasAggregateType ? topic : defaultTopic).topicOf(event);
    }

    /** Returns the record of the event that was inserted; a heartbeat; or {@code null} for anything else. */
    @Override
    public @Nullable R apply(R change) {
        ChangeEvent read = ChangeEvent.of(change.value());
        if (read.isHeartbeat()) {
            return heartbeat(change, read.heartbeatTime());
        }
        return read.isPendingEvent() ? event(change, read) : null;
    }

    private R heartbeat(R change, long time) {
        byte[] text = ("{\"ts_ms\":" + time + "}").getBytes(StandardCharsets.UTF_8);
        return change.newRecord(
                change.topic(),
                change.kafkaPartition(),
                Schema.OPTIONAL_BYTES_SCHEMA,
                null,
                Schema.OPTIONAL_BYTES_SCHEMA,
                text,
                change.timestamp());
    }

    private R event(R change, ChangeEvent inserted) {
        try {
            EventEnvelope event = Subscription.eventOf(EventEnvelope.restore(inserted.row()));
            return asConnectRecord(change, records.of(event));
        } catch (PayloadParseException | DataException e) {
            throw new DataException(
                    "OutboxRecords cannot publish " + inserted + ": " + e.getMessage()
                            + ". To let the connector pass over such rows, set errors.tolerance=all and"
                            + " errors.log.enable=true",
                    e);
        }
    }

    private R asConnectRecord(R change, ProducerRecord<byte[], byte[]> outgoing) {
        Headers headers = new ConnectHeaders();
        outgoing.headers().forEach(header -> headers.add(header.key(), header.value(), Schema.OPTIONAL_BYTES_SCHEMA));
        return change.newRecord(
                outgoing.topic(),
                outgoing.partition(),
                Schema.OPTIONAL_BYTES_SCHEMA,
                outgoing.key(),
                Schema.OPTIONAL_BYTES_SCHEMA,
                outgoing.value(),
                outgoing.timestamp(),
                headers);
    }

    @Override
    public String version() {
        String version = OutboxRecords.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    @Override
    public void close() {}
}
