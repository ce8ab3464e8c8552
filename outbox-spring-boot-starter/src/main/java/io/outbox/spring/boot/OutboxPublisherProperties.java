package io.outbox.spring.boot;

import io.outbox.OutboxHeaders;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.internal.declaring.Circumstance;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings for publishing to a broker. Each event type below {@code outbox.publisher.events} is sent to its topic
 * or exchange, isolated from all others. Each value is checked at start-up, and keys that do not exist are refused.
 *
 * @param enabled Whether this application publishes. If not, there is no OutboxPublisher, the other settings have no
 *     effect, and nothing is delivered unless outbox.mode is set.
 * @param senders Further senders, by name, for event types that name them: to other brokers, or with other settings.
 * @param events The event types that are sent to the broker, and where they differ from the defaults.
 * @param headers Other names for the headers of the outbox: event-id, event-type, aggregate-type, aggregate-id,
 *     tenant-id, occurred-at. The empty name leaves a header out.
 */
@ConfigurationProperties(prefix = "outbox.publisher", ignoreUnknownFields = false)
public record OutboxPublisherProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Sender sender,
        @DefaultValue Map<String, Sender> senders,
        @DefaultValue Policy defaults,
        @DefaultValue Map<String, OutboxEventProperties> events,
        @DefaultValue Map<OutboxHeaders, String> headers,
        @DefaultValue CloudEvents cloudEvents,

        @Setting(noEffect = Circumstance.NOT_SEVERAL_NODES) @DefaultValue
        StuckRecovery stuckRecovery,

        @DefaultValue CleanUp cleanUp,
        @DefaultValue Metrics metrics,
        @NestedConfigurationProperty @DefaultValue OutboxDlqProperties dlq) {

    /** Completes the defaults. */
    public OutboxPublisherProperties {
        defaults = defaults.or(Policy.BUILT_IN);
    }

    /** The brokers that events can be sent to. */
    public enum SenderType {
        /** Apache Kafka: events go to topics. */
        KAFKA,
        /** RabbitMQ: events go to exchanges, with the event type as routing key. */
        RABBIT_MQ
    }

    /**
     * How events get to the broker.
     *
     * @param type The broker: kafka or rabbit_mq. Required if there are events for this sender.
     * @param beanName The KafkaTemplate or RabbitTemplate whose settings are used. By default the only or primary one.
     * @param emergencyTimeout How long the acknowledgements of a batch are awaited; events without one go back
     *     uncounted then.
     */
    public record Sender(
            SenderType type,
            String beanName,

            @Setting(rule = Rule.POSITIVE) @DefaultValue("120s")
            Duration emergencyTimeout) {}

    /**
     * How the events of one type are delivered. What is not set is inherited.
     *
     * @param topic The topic in Kafka, the exchange in RabbitMQ; of a type, the empty name is the default exchange. May
     *     have expressions over the event.
     * @param deadLetterTopic The topic or exchange that events are sent to before they go DEAD; of a type, the empty
     *     name is none. May have expressions over the event.
     * @param batchSize How many events are read and sent at a time.
     * @param initialDelay How long after the start of the application delivery begins.
     * @param fixedDelay The longest pause between two looks for events that were not sent right after their commit;
     *     without backoff, also the pause before a retry.
     * @param maxRetries How often sending is tried again before an event goes DEAD.
     * @param concurrency How many batches of one event type are sent at the same time.
     * @param rateLimit The largest number of events of one type per second. By default there is no limit.
     */
    public record Policy(
            String topic,
            String deadLetterTopic,
            @Setting(rule = Rule.BATCH) Integer batchSize,
            @Setting(rule = Rule.NOT_NEGATIVE) Duration initialDelay,
            @Setting(rule = Rule.POSITIVE) Duration fixedDelay,
            @Setting(rule = Rule.AT_LEAST_0) Integer maxRetries,
            @Setting(rule = Rule.AT_LEAST_1) Integer concurrency,
            @Setting(rule = Rule.AT_LEAST_1) Integer rateLimit,
            @DefaultValue Backoff backoff) {

        private static final Policy BUILT_IN = new Policy(
                null,
                null,
                50,
                Duration.ZERO,
                Duration.ofSeconds(2),
                3,
                LanePolicy.DEFAULT_CONCURRENCY,
                null,
                new Backoff(true, Duration.ofSeconds(10), 3.0));

        /** Returns this policy, with unset values taken from another one. */
        public Policy or(Policy other) {
            return new Policy(
                    either(topic, other.topic),
                    either(deadLetterTopic, other.deadLetterTopic),
                    either(batchSize, other.batchSize),
                    either(initialDelay, other.initialDelay),
                    either(fixedDelay, other.fixedDelay),
                    either(maxRetries, other.maxRetries),
                    either(concurrency, other.concurrency),
                    either(rateLimit, other.rateLimit),
                    new Backoff(
                            either(backoff.enabled, other.backoff.enabled),
                            either(backoff.delay, other.backoff.delay),
                            either(backoff.multiplier, other.backoff.multiplier)));
        }

        private static <T> T either(T own, T other) {
            return own != null ? own : other;
        }
    }

    /**
     * The pauses between retries.
     *
     * @param enabled Whether the pause grows with each retry; if not, it is the fixed delay.
     * @param delay The pause before the first retry.
     * @param multiplier What the pause is multiplied by with each further retry.
     */
    public record Backoff(
            Boolean enabled,
            @Setting(rule = Rule.POSITIVE) Duration delay,
            @Setting(rule = Rule.FACTOR) Double multiplier) {}

    /**
     * Records and messages as CloudEvents.
     *
     * @param enabled Whether records and messages are CloudEvents in binary mode: attributes are headers, the payload
     *     is the data.
     * @param source Where the events come from, a URI. By default the name of the application.
     */
    public record CloudEvents(boolean enabled, String source) {}

    /**
     * How events of nodes that died are taken over, in MULTI_NODE mode.
     *
     * @param batchSize How many events of dead nodes are taken over at a time.
     * @param maxBatchProcessingTime Another name for outbox.claim-locking.lock-timeout: how long the events of a node
     *     that died stay locked.
     * @param initialDelay How long after the start events of dead nodes are looked for, if one of initial-delay,
     *     fixed-delay and batch-size is set; by default with every poll.
     * @param fixedDelay How often events of dead nodes are looked for, if one of initial-delay, fixed-delay and
     *     batch-size is set; by default with every poll.
     */
    public record StuckRecovery(
            @Setting(rule = Rule.AT_LEAST_1) @DefaultValue("100")
            int batchSize,

            @Setting(rule = Rule.POSITIVE, meaning = "outbox.claim-locking.lock-timeout") @DefaultValue("5m")
            Duration maxBatchProcessingTime,

            @Setting(rule = Rule.NOT_NEGATIVE) @DefaultValue("300s")
            Duration initialDelay,

            @Setting(rule = Rule.POSITIVE) @DefaultValue("1800s")
            Duration fixedDelay) {}

    /**
     * How delivered events are deleted.
     *
     * @param enabled Whether delivered events are deleted. DEAD events are kept.
     * @param batchSize How many events one transaction deletes; transactions follow each other until nothing is left to
     *     delete.
     * @param ttl How long delivered events are kept.
     * @param initialDelay How long after the start the first clean-up is.
     * @param fixedDelay The time between two clean-ups, in whole seconds.
     */
    public record CleanUp(
            @Setting(meaning = "outbox.purge.enabled") @DefaultValue("true")
            boolean enabled,

            @Setting(rule = Rule.AT_LEAST_1, meaning = "outbox.purge.batch-size") @DefaultValue("100")
            int batchSize,

            @Setting(rule = Rule.NOT_NEGATIVE, meaning = "outbox.purge.retention") @DefaultValue("1h")
            Duration ttl,

            @Setting(rule = Rule.NOT_NEGATIVE) @DefaultValue("120s")
            Duration initialDelay,

            @Setting(rule = Rule.WHOLE_SECONDS, meaning = "outbox.purge.interval") @DefaultValue("5s")
            Duration fixedDelay) {}

    /** Settings of the gauges. */
    public record Metrics(@DefaultValue Gauge gauge) {}

    /**
     * Numbers of events.
     *
     * @param enabled Whether events are counted in the database for gauges, if there is a MeterRegistry.
     */
    public record Gauge(boolean enabled, @DefaultValue Cache cache) {}

    /**
     * Saves queries.
     *
     * @param ttls How long counts are kept: of all events, by status, and by event type and status. 0s counts anew each
     *     time.
     */
    public record Cache(
            @Setting(rule = Rule.GAUGE_TTLS) @DefaultValue({"60s", "60s", "60s"})
            List<Duration> ttls) {}
}
