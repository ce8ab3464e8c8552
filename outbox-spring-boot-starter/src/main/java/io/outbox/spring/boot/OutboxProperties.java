package io.outbox.spring.boot;

import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Lease;
import java.time.Duration;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** The settings of an outbox. Defaults are those of the core; each value is checked at start-up. */
@ConfigurationProperties("outbox")
public class OutboxProperties implements InitializingBean {

    /** The prefix of meter names, the same as that of the exporter, which is not on every class path. */
    static final String DEFAULT_METRICS_PREFIX = "outbox";

    static final Duration DEFAULT_MAX_LAG = Duration.ofMinutes(5);

    /**
     * What this application does with events. With outbox.publisher.events the default is MULTI_NODE with claim locking,
     * with outbox.publisher.enabled=false it is WRITER_ONLY.
     */
    private Mode mode = Mode.SINGLE_NODE;

    /** The outbox table, optionally with its schema. */
    private String tableName = TableNames.DEFAULT_TABLE;

    private final Dispatcher dispatcher = new Dispatcher();

    private final Retry retry = new Retry();

    private final Poller poller = new Poller();

    private final ClaimLocking claimLocking = new ClaimLocking();

    private final Purge purge = new Purge();

    private final Metrics metrics = new Metrics();

    private final Schema schema = new Schema();

    private final Health health = new Health();

    /** What an application does with events. */
    public enum Mode {
        /** One node delivers: right after the commit, with the poller behind. */
        SINGLE_NODE,
        /** Several nodes share the table and deliver. */
        MULTI_NODE,
        /** One node delivers in the order of writing: by the poller alone, one at a time, without retries. */
        ORDERED,
        /** Events are only written, for change data capture or another application to deliver. */
        WRITER_ONLY;

        /** Returns what deletes events: finished ones, or where nothing is ever finished, those of some age. */
        EventPurger purgerFor(AbstractJdbcOutboxStore store) {
            return this == WRITER_ONLY ? JdbcOutbox.ageBasedPurgerFor(store) : JdbcOutbox.purgerFor(store);
        }
    }

    /** Checks every value; a message names the key. */
    @Override
    public void afterPropertiesSet() {
        OutboxPropertiesCheck.check(this);
    }

    public Mode getMode() {
        return mode;
    }

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public String getTableName() {
        return tableName;
    }

    public void setTableName(String tableName) {
        this.tableName = tableName;
    }

    public Dispatcher getDispatcher() {
        return dispatcher;
    }

    public Retry getRetry() {
        return retry;
    }

    public Poller getPoller() {
        return poller;
    }

    public ClaimLocking getClaimLocking() {
        return claimLocking;
    }

    public Purge getPurge() {
        return purge;
    }

    public Metrics getMetrics() {
        return metrics;
    }

    public Schema getSchema() {
        return schema;
    }

    public Health getHealth() {
        return health;
    }

    /** How events are delivered. */
    public static class Dispatcher {

        /** How many events are processed at the same time. In ORDERED mode always 1. */
        private int workerCount = OutboxDispatcher.DEFAULT_WORKER_COUNT;

        /** How many events of this node may wait for a worker after their commit; further ones are left to the poller. */
        private int hotQueueCapacity = OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY;

        /** How many polled events may wait for a worker. */
        private int coldQueueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;

        /** How often an event is tried before it goes DEAD. In ORDERED mode always 1. */
        private int maxAttempts = OutboxDispatcher.DEFAULT_MAX_ATTEMPTS;

        /** How many milliseconds shutdown goes on delivering what is queued. */
        private long drainTimeoutMs = OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS;

        public int getWorkerCount() {
            return workerCount;
        }

        public void setWorkerCount(int workerCount) {
            this.workerCount = workerCount;
        }

        public int getHotQueueCapacity() {
            return hotQueueCapacity;
        }

        public void setHotQueueCapacity(int hotQueueCapacity) {
            this.hotQueueCapacity = hotQueueCapacity;
        }

        public int getColdQueueCapacity() {
            return coldQueueCapacity;
        }

        public void setColdQueueCapacity(int coldQueueCapacity) {
            this.coldQueueCapacity = coldQueueCapacity;
        }

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public long getDrainTimeoutMs() {
            return drainTimeoutMs;
        }

        public void setDrainTimeoutMs(long drainTimeoutMs) {
            this.drainTimeoutMs = drainTimeoutMs;
        }
    }

    /** When a failed event is tried again. Ignored if the application has a RetryPolicy bean. */
    public static class Retry {

        /** Milliseconds before the second attempt; doubled with each further one. */
        private long baseDelayMs = ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS;

        /** The longest delay in milliseconds. */
        private long maxDelayMs = ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS;

        public long getBaseDelayMs() {
            return baseDelayMs;
        }

        public void setBaseDelayMs(long baseDelayMs) {
            this.baseDelayMs = baseDelayMs;
        }

        public long getMaxDelayMs() {
            return maxDelayMs;
        }

        public void setMaxDelayMs(long maxDelayMs) {
            this.maxDelayMs = maxDelayMs;
        }
    }

    /** How events are found that the hot path did not take. */
    public static class Poller {

        /** The longest sleep of the poller in milliseconds. Retries and delayed events wake it earlier. */
        private long intervalMs = OutboxPoller.DEFAULT_INTERVAL_MS;

        /** How many events are read at a time. */
        private int batchSize = OutboxPoller.DEFAULT_BATCH_SIZE;

        /** The age in milliseconds below which the poller leaves events alone. */
        private long skipRecentMs = OutboxPoller.DEFAULT_SKIP_RECENT.toMillis();

        public long getIntervalMs() {
            return intervalMs;
        }

        public void setIntervalMs(long intervalMs) {
            this.intervalMs = intervalMs;
        }

        public int getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(int batchSize) {
            this.batchSize = batchSize;
        }

        public long getSkipRecentMs() {
            return skipRecentMs;
        }

        public void setSkipRecentMs(long skipRecentMs) {
            this.skipRecentMs = skipRecentMs;
        }
    }

    /** How several nodes share a table. */
    public static class ClaimLocking {

        /** Whether events are claimed by the node that delivers them. Required in MULTI_NODE mode, and refused in the others. */
        private boolean enabled;

        /** The name of this node in the lock column, different on every node. By default a random one. */
        private String ownerId;

        /** How long the events of a node that died stay locked. A live node keeps its events however long they take. */
        private Duration lockTimeout = Lease.DEFAULT_DURATION;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getOwnerId() {
            return ownerId;
        }

        public void setOwnerId(String ownerId) {
            this.ownerId = ownerId;
        }

        public Duration getLockTimeout() {
            return lockTimeout;
        }

        public void setLockTimeout(Duration lockTimeout) {
            this.lockTimeout = lockTimeout;
        }
    }

    /** How finished events are deleted, in every mode. */
    public static class Purge {

        /** Whether finished events (DONE and DEAD) are deleted. */
        private boolean enabled;

        /** How long finished events are kept. */
        private Duration retention = OutboxPurgeScheduler.DEFAULT_RETENTION;

        /** How many events one transaction deletes. */
        private int batchSize = OutboxPurgeScheduler.DEFAULT_BATCH_SIZE;

        /** Seconds between two runs. */
        private long intervalSeconds = OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public Duration getRetention() {
            return retention;
        }

        public void setRetention(Duration retention) {
            this.retention = retention;
        }

        public int getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(int batchSize) {
            this.batchSize = batchSize;
        }

        public long getIntervalSeconds() {
            return intervalSeconds;
        }

        public void setIntervalSeconds(long intervalSeconds) {
            this.intervalSeconds = intervalSeconds;
        }
    }

    /** Micrometer meters. */
    public static class Metrics {

        /** Whether meters are registered, if there is a MeterRegistry. */
        private boolean enabled = true;

        /** What the names of the meters begin with. */
        private String namePrefix = DEFAULT_METRICS_PREFIX;

        public boolean isEnabled() {
            return enabled;
        }

        public void setEnabled(boolean enabled) {
            this.enabled = enabled;
        }

        public String getNamePrefix() {
            return namePrefix;
        }

        public void setNamePrefix(String namePrefix) {
            this.namePrefix = namePrefix;
        }
    }

    /** The outbox table. */
    public static class Schema {

        /** When the table is created at start-up, if it is missing. It is checked in any case. */
        private DatabaseInitializationMode initialize = DatabaseInitializationMode.EMBEDDED;

        public DatabaseInitializationMode getInitialize() {
            return initialize;
        }

        public void setInitialize(DatabaseInitializationMode initialize) {
            this.initialize = initialize;
        }
    }

    /** The health indicator. */
    public static class Health {

        /** The age of the oldest event that is due, from which on the outbox is down. */
        private Duration maxLag = DEFAULT_MAX_LAG;

        public Duration getMaxLag() {
            return maxLag;
        }

        public void setMaxLag(Duration maxLag) {
            this.maxLag = maxLag;
        }
    }
}
