package io.outbox.spring.boot;

import io.outbox.OutboxHeaders;
import io.outbox.dispatch.LanePolicy;
import io.outbox.spi.Lease;
import io.outbox.spring.boot.internal.declaring.Circumstance;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/**
 * The settings for publishing to a broker. Each event type below {@code outbox.publisher.events} is sent to its topic or
 * exchange, isolated from all others. Each value is checked at start-up, and keys that do not exist are refused.
 */
@ConfigurationProperties(prefix = "outbox.publisher", ignoreUnknownFields = false)
public class OutboxPublisherProperties {

    static final Duration DEFAULT_EMERGENCY_TIMEOUT = Duration.ofSeconds(120);
    static final int DEFAULT_BATCH_SIZE = 50;
    static final Duration DEFAULT_FIXED_DELAY = Duration.ofSeconds(2);
    static final int DEFAULT_MAX_RETRIES = 3;
    static final Duration DEFAULT_BACKOFF_DELAY = Duration.ofSeconds(10);
    static final double DEFAULT_BACKOFF_MULTIPLIER = 3;
    static final int DEFAULT_RECOVERY_BATCH_SIZE = 100;
    static final Duration DEFAULT_RECOVERY_INITIAL_DELAY = Duration.ofSeconds(300);
    static final Duration DEFAULT_RECOVERY_FIXED_DELAY = Duration.ofSeconds(1800);
    static final int DEFAULT_CLEAN_UP_BATCH_SIZE = 100;
    static final Duration DEFAULT_CLEAN_UP_TTL = Duration.ofHours(1);
    static final Duration DEFAULT_CLEAN_UP_INITIAL_DELAY = Duration.ofSeconds(120);
    static final Duration DEFAULT_CLEAN_UP_FIXED_DELAY = Duration.ofSeconds(5);
    static final List<Duration> DEFAULT_GAUGE_TTLS =
            List.of(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60));

    /**
     * Whether this application publishes. If not, there is no OutboxPublisher, the other settings have no effect, and
     * nothing is delivered unless outbox.mode is set.
     */
    private boolean enabled = true;

    private final Sender sender = new Sender();

    /** Further senders, by name, for event types that name them: to other brokers, or with other settings. */
    private Map<String, Sender> senders = new LinkedHashMap<>();

    private final Policy defaults = Policy.ofDefaults();

    /** The event types that are sent to the broker, and where they differ from the defaults. */
    private Map<String, OutboxEventProperties> events = new LinkedHashMap<>();

    /** Other names for the headers of the outbox: event-id, event-type, aggregate-type, aggregate-id, tenant-id, occurred-at. The empty name leaves a header out. */
    private Map<OutboxHeaders, String> headers = new EnumMap<>(OutboxHeaders.class);

    private final CloudEvents cloudEvents = new CloudEvents();

    @Setting(noEffect = Circumstance.NOT_SEVERAL_NODES)
    private final StuckRecovery stuckRecovery = new StuckRecovery();

    private final CleanUp cleanUp = new CleanUp();

    private final Metrics metrics = new Metrics();

    @NestedConfigurationProperty
    private final OutboxDlqProperties dlq = new OutboxDlqProperties();

    /** The brokers that events can be sent to. */
    public enum SenderType {
        /** Apache Kafka: events go to topics. */
        KAFKA,
        /** RabbitMQ: events go to exchanges, with the event type as routing key. */
        RABBIT_MQ
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Sender getSender() {
        return sender;
    }

    public Map<String, Sender> getSenders() {
        return senders;
    }

    public void setSenders(Map<String, Sender> senders) {
        this.senders = senders;
    }

    public Policy getDefaults() {
        return defaults;
    }

    public Map<String, OutboxEventProperties> getEvents() {
        return events;
    }

    public void setEvents(Map<String, OutboxEventProperties> events) {
        this.events = events;
    }

    public Map<OutboxHeaders, String> getHeaders() {
        return headers;
    }

    public void setHeaders(Map<OutboxHeaders, String> headers) {
        this.headers = headers;
    }

    public CloudEvents getCloudEvents() {
        return cloudEvents;
    }

    public StuckRecovery getStuckRecovery() {
        return stuckRecovery;
    }

    public CleanUp getCleanUp() {
        return cleanUp;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    public OutboxDlqProperties getDlq() {
        return dlq;
    }

    /** How events get to the broker. */
    public static class Sender {

        /** The broker: kafka or rabbit_mq. Required if there are events for this sender. */
        private SenderType type;

        /** The KafkaTemplate or RabbitTemplate whose settings are used. By default the only or primary one. */
        private String beanName;

        /** How long the acknowledgements of a batch are awaited; events without one go back uncounted then. */
        @Setting(rule = Rule.POSITIVE)
        private Duration emergencyTimeout = DEFAULT_EMERGENCY_TIMEOUT;

        public SenderType getType() {
            return type;
        }

        public void setType(SenderType type) {
            this.type = type;
        }

        public String getBeanName() {
            return beanName;
        }

        public void setBeanName(String beanName) {
            this.beanName = beanName;
        }

        public Duration getEmergencyTimeout() {
            return emergencyTimeout;
        }

        public void setEmergencyTimeout(Duration emergencyTimeout) {
            this.emergencyTimeout = emergencyTimeout;
        }
    }

    /** How the events of one type are delivered. What is not set is inherited. */
    public static class Policy {

        /** The topic in Kafka, the exchange in RabbitMQ; of a type, the empty name is the default exchange. May have expressions over the event. */
        private String topic;

        /** How many events are read and sent at a time. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer batchSize;

        /** How long after the start of the application delivery begins. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration initialDelay;

        /** The longest pause between two looks for events that were not sent right after their commit; without backoff, also the pause before a retry. */
        @Setting(rule = Rule.POSITIVE)
        private Duration fixedDelay;

        /** How often sending is tried again before an event goes DEAD. */
        @Setting(rule = Rule.AT_LEAST_0)
        private Integer maxRetries;

        /** How many batches of one event type are sent at the same time. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer concurrency;

        /** The largest number of events of one type per second. By default there is no limit. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer rateLimit;

        private final Backoff backoff = new Backoff();

        public String getTopic() {
            return topic;
        }

        public void setTopic(String topic) {
            this.topic = topic;
        }

        public Integer getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(Integer batchSize) {
            this.batchSize = batchSize;
        }

        public Duration getInitialDelay() {
            return initialDelay;
        }

        public void setInitialDelay(Duration initialDelay) {
            this.initialDelay = initialDelay;
        }

        public Duration getFixedDelay() {
            return fixedDelay;
        }

        public void setFixedDelay(Duration fixedDelay) {
            this.fixedDelay = fixedDelay;
        }

        public Integer getMaxRetries() {
            return maxRetries;
        }

        public void setMaxRetries(Integer maxRetries) {
            this.maxRetries = maxRetries;
        }

        public Integer getConcurrency() {
            return concurrency;
        }

        public void setConcurrency(Integer concurrency) {
            this.concurrency = concurrency;
        }

        public Integer getRateLimit() {
            return rateLimit;
        }

        public void setRateLimit(Integer rateLimit) {
            this.rateLimit = rateLimit;
        }

        /** Returns the policy that counts where the application says nothing. */
        public static Policy ofDefaults() {
            Policy policy = new Policy();
            policy.batchSize = DEFAULT_BATCH_SIZE;
            policy.initialDelay = Duration.ZERO;
            policy.fixedDelay = DEFAULT_FIXED_DELAY;
            policy.maxRetries = DEFAULT_MAX_RETRIES;
            policy.concurrency = LanePolicy.DEFAULT_CONCURRENCY;
            policy.backoff.enabled = true;
            policy.backoff.delay = DEFAULT_BACKOFF_DELAY;
            policy.backoff.multiplier = DEFAULT_BACKOFF_MULTIPLIER;
            return policy;
        }

        public Backoff getBackoff() {
            return backoff;
        }
    }

    /** The pauses between retries. */
    public static class Backoff {

        /** Whether the pause grows with each retry; if not, it is the fixed delay. */
        private Boolean enabled;

        /** The pause before the first retry. */
        @Setting(rule = Rule.POSITIVE)
        private Duration delay;

        /** What the pause is multiplied by with each further retry. */
        @Setting(rule = Rule.FACTOR)
        private Double multiplier;

        public Boolean getEnabled() {
            return enabled;
        }

        public void setEnabled(Boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getDelay() {
            return delay;
        }

        public void setDelay(Duration delay) {
            this.delay = delay;
        }

        public Double getMultiplier() {
            return multiplier;
        }

        public void setMultiplier(Double multiplier) {
            this.multiplier = multiplier;
        }
    }

    /** Records and messages as CloudEvents. */
    public static class CloudEvents {

        /** Whether records and messages are CloudEvents in binary mode: attributes are headers, the payload is the data. */
        private boolean enabled;

        /** Where the events come from, a URI. By default the name of the application. */
        private String source;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getSource() {
            return source;
        }

        public void setSource(String source) {
            this.source = source;
        }
    }

    /** How events of nodes that died are taken over, in MULTI_NODE mode. */
    public static class StuckRecovery {

        /** How many events of dead nodes are taken over at a time. */
        @Setting(rule = Rule.AT_LEAST_1)
        private int batchSize = DEFAULT_RECOVERY_BATCH_SIZE;

        /** Another name for outbox.claim-locking.lock-timeout: how long the events of a node that died stay locked. */
        @Setting(rule = Rule.POSITIVE, meaning = "outbox.claim-locking.lock-timeout")
        private Duration maxBatchProcessingTime = Lease.DEFAULT_DURATION;

        /** How long after the start events of dead nodes are looked for, if one of initial-delay, fixed-delay and batch-size is set; by default with every poll. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration initialDelay = DEFAULT_RECOVERY_INITIAL_DELAY;

        /** How often events of dead nodes are looked for, if one of initial-delay, fixed-delay and batch-size is set; by default with every poll. */
        @Setting(rule = Rule.POSITIVE)
        private Duration fixedDelay = DEFAULT_RECOVERY_FIXED_DELAY;

        public int getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(int batchSize) {
            this.batchSize = batchSize;
        }

        public Duration getMaxBatchProcessingTime() {
            return maxBatchProcessingTime;
        }

        public void setMaxBatchProcessingTime(Duration maxBatchProcessingTime) {
            this.maxBatchProcessingTime = maxBatchProcessingTime;
        }

        public Duration getInitialDelay() {
            return initialDelay;
        }

        public void setInitialDelay(Duration initialDelay) {
            this.initialDelay = initialDelay;
        }

        public Duration getFixedDelay() {
            return fixedDelay;
        }

        public void setFixedDelay(Duration fixedDelay) {
            this.fixedDelay = fixedDelay;
        }
    }

    /** How delivered events are deleted. */
    public static class CleanUp {

        /** Whether delivered events are deleted. DEAD events are kept. */
        @Setting(meaning = "outbox.purge.enabled")
        private boolean enabled = true;

        /** How many events one transaction deletes; transactions follow each other until nothing is left to delete. */
        @Setting(rule = Rule.AT_LEAST_1, meaning = "outbox.purge.batch-size")
        private int batchSize = DEFAULT_CLEAN_UP_BATCH_SIZE;

        /** How long delivered events are kept. */
        @Setting(rule = Rule.NOT_NEGATIVE, meaning = "outbox.purge.retention")
        private Duration ttl = DEFAULT_CLEAN_UP_TTL;

        /** How long after the start the first clean-up is. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration initialDelay = DEFAULT_CLEAN_UP_INITIAL_DELAY;

        /** The time between two clean-ups, in whole seconds. */
        @Setting(rule = Rule.WHOLE_SECONDS, meaning = "outbox.purge.interval")
        private Duration fixedDelay = DEFAULT_CLEAN_UP_FIXED_DELAY;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public int getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(int batchSize) {
            this.batchSize = batchSize;
        }

        public Duration getTtl() {
            return ttl;
        }

        public void setTtl(Duration ttl) {
            this.ttl = ttl;
        }

        public Duration getInitialDelay() {
            return initialDelay;
        }

        public void setInitialDelay(Duration initialDelay) {
            this.initialDelay = initialDelay;
        }

        public Duration getFixedDelay() {
            return fixedDelay;
        }

        public void setFixedDelay(Duration fixedDelay) {
            this.fixedDelay = fixedDelay;
        }
    }

    /** What is measured. */
    public static class Metrics {

        private final Gauge gauge = new Gauge();

        public Gauge getGauge() {
            return gauge;
        }
    }

    /** Numbers of events. */
    public static class Gauge {

        /** Whether events are counted in the database for gauges, if there is a MeterRegistry. */
        private boolean enabled;

        private final Cache cache = new Cache();

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Cache getCache() {
            return cache;
        }
    }

    /** Saves queries. */
    public static class Cache {

        /** How long counts are kept: of all events, by status, and by event type and status. 0s counts anew each time. */
        @Setting(rule = Rule.GAUGE_TTLS)
        private List<Duration> ttls = DEFAULT_GAUGE_TTLS;

        public List<Duration> getTtls() {
            return ttls;
        }

        public void setTtls(List<Duration> ttls) {
            this.ttls = ttls;
        }
    }
}
