package io.outbox.spring.boot;

import io.outbox.inbox.InboxCleanUp;
import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.Unidentified;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings for consuming each event once. Defaults are those of {@link io.outbox.inbox.JdbcInbox}. Each value is checked
 * at start-up, and keys that do not exist are refused.
 */
@ConfigurationProperties(prefix = "outbox.consumer", ignoreUnknownFields = false)
public class OutboxConsumerProperties {

    /** Whether there is an OutboxIdempotentConsumer, with its table and its clean-up. */
    private boolean enabled;

    /**
     * The consumer's name, which tells its marks from those of other services in the same database; the same on all nodes.
     * By default the name of the application, spring.application.name, or else "default".
     */
    private String name;

    /** The table of consumed events, optionally with its schema. */
    @Setting(rule = Rule.TABLE_NAME)
    private String tableName = InboxSchema.DEFAULT_TABLE;

    /** What becomes of messages whose event id is missing, blank or malformed. */
    private Unidentified unidentified = Unidentified.REFUSE;

    /**
     * The classes of the payloads of events, by the types of the events, for methods of listeners that take payloads as
     * objects. An event of another type is refused there.
     */
    private Map<String, Class<?>> mappings = new LinkedHashMap<>();

    private final CleanUp cleanUp = new CleanUp();

    private final Cache cache = new Cache();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public String getTableName() {
        return tableName;
    }

    public void setTableName(String tableName) {
        this.tableName = tableName;
    }

    public Unidentified getUnidentified() {
        return unidentified;
    }

    public void setUnidentified(Unidentified unidentified) {
        this.unidentified = unidentified;
    }

    public Map<String, Class<?>> getMappings() {
        return mappings;
    }

    public void setMappings(Map<String, Class<?>> mappings) {
        this.mappings = mappings;
    }

    public CleanUp getCleanUp() {
        return cleanUp;
    }

    public Cache getCache() {
        return cache;
    }

    /** How the marks of consumed events are deleted. */
    public static class CleanUp {

        /** Whether old marks are deleted. If not, the table grows. */
        private boolean enabled = true;

        /** How many marks one transaction deletes; transactions follow each other until no old one is left. */
        @Setting(rule = Rule.AT_LEAST_1)
        private int batchSize = InboxCleanUp.DEFAULT_BATCH_SIZE;

        /** How long an event is known as consumed: longer than any message can come again. */
        @Setting(rule = Rule.POSITIVE)
        private Duration ttl = InboxCleanUp.DEFAULT_TTL;

        /** How long after the start the first clean-up is. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration initialDelay = InboxCleanUp.DEFAULT_INITIAL_DELAY;

        /** The time between two clean-ups. */
        @Setting(rule = Rule.POSITIVE)
        private Duration fixedDelay = InboxCleanUp.DEFAULT_FIXED_DELAY;

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

    /** Spares duplicates the way to the database. */
    public static class Cache {

        /** Whether a cache is asked before the database. By default, if a cache is named. */
        private Boolean enabled;

        /** The name of the cache in the application's CacheManager. Required if the cache is enabled. */
        private String cacheName;

        public Boolean getEnabled() {
            return enabled;
        }

        public void setEnabled(Boolean enabled) {
            this.enabled = enabled;
        }

        public String getCacheName() {
            return cacheName;
        }

        public void setCacheName(String cacheName) {
            this.cacheName = cacheName;
        }
    }
}
