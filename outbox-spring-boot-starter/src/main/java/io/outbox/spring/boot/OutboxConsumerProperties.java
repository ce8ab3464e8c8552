package io.outbox.spring.boot;

import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.Unidentified;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings for consuming each event once. Defaults are those of {@link io.outbox.inbox.JdbcInbox}. Each value is
 * checked at start-up, and keys that do not exist are refused.
 *
 * @param enabled Whether there is an OutboxIdempotentConsumer, with its table and its clean-up.
 * @param name The consumer's name, which tells its marks from those of other services in the same database; the same on
 *     all nodes. By default the name of the application, spring.application.name, or else "default".
 * @param tableName The table of consumed events, optionally with its schema.
 * @param idHeader The header that has the id of an event, such as "id" for Debezium and "ce_id" for CloudEvents in
 * Kafka.
 * @param idExpression A SpEL expression over the message that gives the id of its event, in place of the header, such
 * as "key()" for
 *     a record of Kafka or "messageProperties.messageId" for a message of RabbitMQ.
 * @param unidentified What becomes of messages whose event id is missing, blank or malformed.
 * @param mappings The classes of the payloads of events, by the types of the events, for methods of listeners that take
 *     payloads as objects. An event of another type is refused there.
 */
@ConfigurationProperties(prefix = "outbox.consumer", ignoreUnknownFields = false)
public record OutboxConsumerProperties(
        boolean enabled,
        String name,

        @Setting(rule = Rule.TABLE_NAME) @DefaultValue(InboxSchema.DEFAULT_TABLE)
        String tableName,

        @Setting(rule = Rule.NOT_BLANK) @DefaultValue("outbox_event_id")
        String idHeader,

        @Setting(rule = Rule.NOT_BLANK) String idExpression,
        @DefaultValue("refuse") Unidentified unidentified,
        @DefaultValue Map<String, Class<?>> mappings,
        @DefaultValue CleanUp cleanUp,
        @DefaultValue Cache cache) {

    /**
     * How the marks of consumed events are deleted.
     *
     * @param enabled Whether old marks are deleted. If not, the table grows.
     * @param batchSize How many marks one transaction deletes; transactions follow each other until no old one is left.
     * @param ttl How long an event is known as consumed: longer than any message can come again.
     * @param initialDelay How long after the start the first clean-up is.
     * @param fixedDelay The time between two clean-ups.
     */
    public record CleanUp(
            @DefaultValue("true") boolean enabled,

            @Setting(rule = Rule.AT_LEAST_1) @DefaultValue("100")
            int batchSize,

            @Setting(rule = Rule.POSITIVE) @DefaultValue("24h")
            Duration ttl,

            @Setting(rule = Rule.NOT_NEGATIVE) @DefaultValue("120s")
            Duration initialDelay,

            @Setting(rule = Rule.POSITIVE) @DefaultValue("5s")
            Duration fixedDelay) {}

    /**
     * Spares duplicates the way to the database.
     *
     * @param enabled Whether a cache is asked before the database. By default, if a cache is named.
     * @param cacheName The name of the cache in the application's CacheManager. Required if the cache is enabled.
     */
    public record Cache(Boolean enabled, String cacheName) {}
}
