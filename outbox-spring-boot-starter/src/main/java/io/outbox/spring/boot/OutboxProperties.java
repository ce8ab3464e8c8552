package io.outbox.spring.boot;

import static io.outbox.spring.boot.internal.declaring.Circumstance.NOT_IN_REDIS;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NOT_SEVERAL_NODES;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NO_METERS;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NO_ORDER_BY_KEY;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NO_OUTBOX;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NO_PURGE;
import static io.outbox.spring.boot.internal.declaring.Circumstance.NO_TABLE;
import static io.outbox.spring.boot.internal.declaring.Circumstance.ORDERED;
import static io.outbox.spring.boot.internal.declaring.Circumstance.WRITER_ONLY;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.outbox.Ordering;
import io.outbox.Ordering.OnExhausted;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.dispatch.StackTraces;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Lease;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** The settings of an outbox, as they are given. Defaults are those of the core; each value is checked at start-up. */
@ConfigurationProperties("outbox")
public class OutboxProperties {

    /** The prefix of meter names, the same as that of the exporter, which is not on every class path. */
    static final String DEFAULT_METRICS_PREFIX = "outbox";

    static final Duration DEFAULT_MAX_LAG = Duration.ofMinutes(5);

    /**
     * What this application does with events. With outbox.claim-locking.enabled or outbox.publisher.events the default
     * is MULTI_NODE, with outbox.publisher.enabled=false it is WRITER_ONLY.
     */
    private Mode mode = Mode.SINGLE_NODE;

    /**
     * Whether events of one key, which is the aggregate id unless another one is given, are delivered in the order in
     * which they were written. Needs the columns of schema/*-keyed.sql.
     */
    @Setting(noEffect = {NO_OUTBOX})
    private OrderBy ordering = OrderBy.NONE;

    /** How the order of keys is kept. */
    @Setting(noEffect = {NO_OUTBOX, NO_ORDER_BY_KEY})
    private final Keyed keyed = new Keyed();

    /** Where events are stored. */
    private Backend backend = Backend.JDBC;

    /** The outbox table, optionally with its schema. */
    @Setting(
            rule = Rule.TABLE_NAME,
            noEffect = {NO_OUTBOX, NO_TABLE})
    private String tableName = TableNames.DEFAULT_TABLE;

    /** Whether there is an outbox at all. */
    private boolean enabled = true;

    /** Whether delivery starts with the application. If not, Outbox.start() or Outbox.deliverDue() deliver. */
    private boolean autoStartup = true;

    /**
     * In MULTI_NODE mode, how long an event that this node has no listener for, or cannot read, is left to other nodes
     * before it goes DEAD, for example during a deployment that adds event types.
     */
    @Setting(
            rule = Rule.NOT_NEGATIVE,
            noEffect = {NO_OUTBOX, NOT_SEVERAL_NODES})
    private Duration unroutableGrace = OutboxDispatcher.DEFAULT_UNROUTABLE_GRACE;

    /** Settings of listeners by their names; they come before those of the annotation. */
    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY})
    private Map<String, ListenerSettings> listeners = new LinkedHashMap<>();

    /** Names of subscriptions by event type, for an application that writes events whose listeners run elsewhere. */
    @Setting(noEffect = NO_OUTBOX)
    private Map<String, List<String>> subscriptions = new LinkedHashMap<>();

    /**
     * Former names of event types by their current name: events written under a former name go to the listeners of the
     * type.
     */
    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY})
    private Map<String, List<String>> aliases = new LinkedHashMap<>();

    /** Versions of event types whose payload classes do not state them; those that have upcasters need none. */
    @Setting(rule = Rule.VERSIONS, noEffect = NO_OUTBOX)
    private Map<String, Integer> versions = new LinkedHashMap<>();

    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY})
    private final Dispatcher dispatcher = new Dispatcher();

    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY, ORDERED})
    private final Retry retry = new Retry();

    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY})
    private final Errors errors = new Errors();

    @Setting(noEffect = {NO_OUTBOX, WRITER_ONLY})
    private final Poller poller = new Poller();

    @Setting(noEffect = NO_OUTBOX)
    private final ClaimLocking claimLocking = new ClaimLocking();

    @Setting(noEffect = NO_OUTBOX)
    private final Purge purge = new Purge();

    private final Metrics metrics = new Metrics();

    @Setting(noEffect = NO_TABLE)
    private final Schema schema = new Schema();

    @Setting(noEffect = NO_OUTBOX)
    private final Health health = new Health();

    @Setting(noEffect = {NO_OUTBOX, NO_TABLE})
    private final WakeUp wakeUp = new WakeUp();

    @Setting(noEffect = {NO_OUTBOX, NOT_IN_REDIS})
    private final Redis redis = new Redis();

    /** Where events are stored. */
    public enum Backend {
        /** In a table of the application's database. */
        JDBC,
        /** In Redis, at the server of spring.data.redis. */
        REDIS
    }

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
        public EventPurger purgerFor(AbstractJdbcOutboxStore store) {
            return this == WRITER_ONLY ? JdbcOutbox.ageBasedPurgerFor(store) : JdbcOutbox.purgerFor(store);
        }
    }

    public Mode getMode() {
        return mode;
    }

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public Backend getBackend() {
        return backend;
    }

    public void setBackend(Backend backend) {
        this.backend = backend;
    }

    public String getTableName() {
        return tableName;
    }

    public void setTableName(String tableName) {
        this.tableName = tableName;
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public boolean isAutoStartup() {
        return autoStartup;
    }

    public void setAutoStartup(boolean autoStartup) {
        this.autoStartup = autoStartup;
    }

    public OrderBy getOrdering() {
        return ordering;
    }

    public void setOrdering(OrderBy ordering) {
        this.ordering = ordering;
    }

    public Keyed getKeyed() {
        return keyed;
    }

    /** By what events keep their order. */
    public enum OrderBy {
        /** Events are delivered in no particular order. */
        NONE,
        /** Events of one key are delivered in the order in which they were written. */
        KEY
    }

    public Duration getUnroutableGrace() {
        return unroutableGrace;
    }

    public void setUnroutableGrace(Duration unroutableGrace) {
        this.unroutableGrace = unroutableGrace;
    }

    public Map<String, ListenerSettings> getListeners() {
        return listeners;
    }

    public void setListeners(Map<String, ListenerSettings> listeners) {
        this.listeners = listeners;
    }

    public Map<String, List<String>> getSubscriptions() {
        return subscriptions;
    }

    public void setSubscriptions(Map<String, List<String>> subscriptions) {
        this.subscriptions = subscriptions;
    }

    public Map<String, Integer> getVersions() {
        return versions;
    }

    public void setVersions(Map<String, Integer> versions) {
        this.versions = versions;
    }

    public Map<String, List<String>> getAliases() {
        return aliases;
    }

    public void setAliases(Map<String, List<String>> aliases) {
        this.aliases = aliases;
    }

    public Dispatcher getDispatcher() {
        return dispatcher;
    }

    public Retry getRetry() {
        return retry;
    }

    public Errors getErrors() {
        return errors;
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

    public WakeUp getWakeUp() {
        return wakeUp;
    }

    public Redis getRedis() {
        return redis;
    }

    public Health getHealth() {
        return health;
    }

    /** The settings of one listener, which give it its own lane. What is not set is as in the outbox. */
    public static class ListenerSettings {

        /** How many calls run at the same time. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer concurrency;

        /** How often an event is tried before it goes DEAD. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer maxAttempts;

        /** The largest number of events per second. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer rateLimit;

        /** How many events are read, and handed to a batch listener, at a time. */
        @Setting(rule = Rule.BATCH)
        private Integer batchSize;

        private final ListenerBackoff backoff = new ListenerBackoff();

        public Integer getConcurrency() {
            return concurrency;
        }

        public void setConcurrency(Integer concurrency) {
            this.concurrency = concurrency;
        }

        public Integer getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(Integer maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public Integer getRateLimit() {
            return rateLimit;
        }

        public void setRateLimit(Integer rateLimit) {
            this.rateLimit = rateLimit;
        }

        public Integer getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(Integer batchSize) {
            this.batchSize = batchSize;
        }

        public ListenerBackoff getBackoff() {
            return backoff;
        }
    }

    /** The pauses between the attempts of one listener. */
    public static class ListenerBackoff {

        /** The pause before the second attempt. */
        @Setting(rule = Rule.POSITIVE)
        private Duration delay;

        /** What the pause is multiplied by with each further attempt. */
        @Setting(rule = Rule.FACTOR)
        private Double multiplier;

        /** The longest pause. */
        @Setting(rule = Rule.POSITIVE)
        private Duration maxDelay;

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

        public Duration getMaxDelay() {
            return maxDelay;
        }

        public void setMaxDelay(Duration maxDelay) {
            this.maxDelay = maxDelay;
        }
    }

    /** How events are delivered. */
    public static class Dispatcher {

        /** How many events are processed at the same time. In ORDERED mode always 1. */
        @Setting(rule = Rule.WORKERS, noEffect = ORDERED)
        private int workerCount = OutboxDispatcher.DEFAULT_WORKER_COUNT;

        /**
         * How many events of this node may wait for a worker after their commit; further ones are left to the poller.
         */
        @Setting(rule = Rule.AT_LEAST_1, noEffect = ORDERED)
        private int hotQueueCapacity = OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY;

        /** How many polled events may wait for a worker. */
        @Setting(rule = Rule.AT_LEAST_1)
        private int coldQueueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;

        /** How often an event is tried before it goes DEAD. In ORDERED mode always 1. */
        @Setting(rule = Rule.AT_LEAST_1, noEffect = ORDERED)
        private int maxAttempts = OutboxDispatcher.DEFAULT_MAX_ATTEMPTS;

        /** How long shutdown continues to deliver queued events. */
        @Setting(rule = Rule.NOT_NEGATIVE, orNumberOf = MILLIS)
        private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);

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

        public Duration getDrainTimeout() {
            return drainTimeout;
        }

        public void setDrainTimeout(Duration drainTimeout) {
            this.drainTimeout = drainTimeout;
        }

        /** Another name for drain-timeout, in milliseconds. */
        public long getDrainTimeoutMs() {
            return drainTimeout.toMillis();
        }

        public void setDrainTimeoutMs(long drainTimeoutMs) {
            this.drainTimeout = Duration.ofMillis(drainTimeoutMs);
        }
    }

    /** How the order of keys is kept, with outbox.ordering=key. */
    public static class Keyed {

        /** Event types that keep no order, though they have a key. */
        private List<String> exceptTypes = List.of();

        /** Names of subscriptions that keep no order. */
        private List<String> exceptSubscriptions = List.of();

        /** What happens to an event that has used up its attempts or can never succeed. */
        private OnExhausted onExhausted = Ordering.byKey().onExhausted();

        /** Whether transactions that write events of one key wait for each other. */
        private boolean lockingWrites = Ordering.byKey().locksWrites();

        public List<String> getExceptTypes() {
            return exceptTypes;
        }

        public void setExceptTypes(List<String> exceptTypes) {
            this.exceptTypes = exceptTypes;
        }

        public List<String> getExceptSubscriptions() {
            return exceptSubscriptions;
        }

        public void setExceptSubscriptions(List<String> exceptSubscriptions) {
            this.exceptSubscriptions = exceptSubscriptions;
        }

        public OnExhausted getOnExhausted() {
            return onExhausted;
        }

        public void setOnExhausted(OnExhausted onExhausted) {
            this.onExhausted = onExhausted;
        }

        public boolean isLockingWrites() {
            return lockingWrites;
        }

        public void setLockingWrites(boolean lockingWrites) {
            this.lockingWrites = lockingWrites;
        }
    }

    /** What is stored with a failed attempt. */
    public static class Errors {

        /** How much of the stack trace of a failed attempt is stored, beside the exception and its causes. */
        private StackTraces stackTraces = OutboxDispatcher.DEFAULT_STACK_TRACES;

        public StackTraces getStackTraces() {
            return stackTraces;
        }

        public void setStackTraces(StackTraces stackTraces) {
            this.stackTraces = stackTraces;
        }
    }

    /** When a failed event is tried again. Ignored if the application has a RetryPolicy bean. */
    public static class Retry {

        /** The pause before the second attempt; doubled with each further one. */
        @Setting(rule = Rule.POSITIVE, orNumberOf = MILLIS)
        private Duration baseDelay = Duration.ofMillis(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS);

        /** The longest pause between two attempts. */
        @Setting(rule = Rule.POSITIVE, orNumberOf = MILLIS)
        private Duration maxDelay = Duration.ofMillis(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);

        public Duration getBaseDelay() {
            return baseDelay;
        }

        public void setBaseDelay(Duration baseDelay) {
            this.baseDelay = baseDelay;
        }

        /** Another name for base-delay, in milliseconds. */
        public long getBaseDelayMs() {
            return baseDelay.toMillis();
        }

        public void setBaseDelayMs(long baseDelayMs) {
            this.baseDelay = Duration.ofMillis(baseDelayMs);
        }

        public Duration getMaxDelay() {
            return maxDelay;
        }

        public void setMaxDelay(Duration maxDelay) {
            this.maxDelay = maxDelay;
        }

        /** Another name for max-delay, in milliseconds. */
        public long getMaxDelayMs() {
            return maxDelay.toMillis();
        }

        public void setMaxDelayMs(long maxDelayMs) {
            this.maxDelay = Duration.ofMillis(maxDelayMs);
        }
    }

    /** How events are found that the hot path did not take. */
    public static class Poller {

        /** The longest sleep of the poller. Retries and delayed events wake it earlier. */
        @Setting(rule = Rule.POSITIVE, orNumberOf = MILLIS)
        private Duration interval = Duration.ofMillis(OutboxPoller.DEFAULT_INTERVAL_MS);

        /** How soon the poller looks again after it found events of another process. */
        @Setting(rule = Rule.POSITIVE)
        private Duration minInterval = Duration.ofMillis(10);

        /** How many events are read at a time. Unless it is set, pages grow up to 500 while a backlog drains. */
        @Setting(rule = Rule.BATCH)
        private int batchSize = OutboxPoller.DEFAULT_BATCH_SIZE;

        private boolean batchSizeIsSet;

        /** The age below which the poller leaves events alone. */
        @Setting(rule = Rule.NOT_NEGATIVE, orNumberOf = MILLIS)
        private Duration skipRecent = OutboxPoller.DEFAULT_SKIP_RECENT;

        public Duration getInterval() {
            return interval;
        }

        public void setInterval(Duration interval) {
            this.interval = interval;
        }

        /** Another name for interval, in milliseconds. */
        public long getIntervalMs() {
            return interval.toMillis();
        }

        public void setIntervalMs(long intervalMs) {
            this.interval = Duration.ofMillis(intervalMs);
        }

        public Duration getMinInterval() {
            return minInterval;
        }

        public void setMinInterval(Duration minInterval) {
            this.minInterval = minInterval;
        }

        public int getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(int batchSize) {
            this.batchSize = batchSize;
            this.batchSizeIsSet = true;
        }

        /** Returns the batch size, if it is set. */
        public OptionalInt ownBatchSize() {
            return batchSizeIsSet ? OptionalInt.of(batchSize) : OptionalInt.empty();
        }

        public Duration getSkipRecent() {
            return skipRecent;
        }

        public void setSkipRecent(Duration skipRecent) {
            this.skipRecent = skipRecent;
        }

        /** Another name for skip-recent, in milliseconds. */
        public long getSkipRecentMs() {
            return skipRecent.toMillis();
        }

        public void setSkipRecentMs(long skipRecentMs) {
            this.skipRecent = Duration.ofMillis(skipRecentMs);
        }
    }

    /** How several nodes share a table. */
    public static class ClaimLocking {

        /**
         * Whether events are claimed by the node that delivers them. True makes the mode MULTI_NODE, which does so in
         * any case.
         */
        private boolean enabled;

        /** The name of this node in the lock column, different on every node. By default a random one. */
        @Setting(rule = Rule.OWNER_ID, noEffect = NOT_SEVERAL_NODES)
        private String ownerId;

        /** How long the events of a node that died stay locked. A live node keeps its events however long they take. */
        @Setting(rule = Rule.POSITIVE, noEffect = NOT_SEVERAL_NODES)
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

        /** How long finished events are kept. With 0, events are deleted when they are done, and DEAD ones stay. */
        @Setting(rule = Rule.NOT_NEGATIVE, noEffect = NO_PURGE)
        private Duration retention = OutboxPurgeScheduler.DEFAULT_RETENTION;

        /** How many events one transaction deletes. */
        @Setting(rule = Rule.AT_LEAST_1, noEffect = NO_PURGE)
        private int batchSize = OutboxPurgeScheduler.DEFAULT_BATCH_SIZE;

        /** The time between two runs, in whole seconds. */
        @Setting(rule = Rule.WHOLE_SECONDS, orNumberOf = SECONDS, noEffect = NO_PURGE)
        private Duration interval = Duration.ofSeconds(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS);

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

        public Duration getInterval() {
            return interval;
        }

        public void setInterval(Duration interval) {
            this.interval = interval;
        }

        /** Another name for interval, in seconds. */
        public long getIntervalSeconds() {
            return interval.toSeconds();
        }

        public void setIntervalSeconds(long intervalSeconds) {
            this.interval = Duration.ofSeconds(intervalSeconds);
        }
    }

    /** Micrometer meters. */
    public static class Metrics {

        /** Whether meters are registered, if there is a MeterRegistry. */
        private boolean enabled = true;

        /** What the names of the meters begin with. */
        @Setting(rule = Rule.METER_PREFIX, noEffect = NO_METERS)
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

        /** The health is DOWN if the oldest due event has waited for at least this long. */
        @Setting(rule = Rule.POSITIVE)
        private Duration maxLag = DEFAULT_MAX_LAG;

        public Duration getMaxLag() {
            return maxLag;
        }

        public void setMaxLag(Duration maxLag) {
            this.maxLag = maxLag;
        }
    }

    /** Hints between processes, so that events which another one wrote need not wait for a poll. */
    public static class WakeUp {

        /** Whether processes on PostgreSQL tell each other of events. */
        private Hints mode = Hints.AUTO;

        /**
         * The URL of a direct connection to the database, to receive hints; needed only behind a pooler in transaction
         * mode.
         */
        private String listenUrl;

        /** When there are hints. */
        public enum Hints {
            /** On PostgreSQL, in the modes multi-node and writer-only, if the pool has at least two connections. */
            AUTO,
            /** In every mode. Needs PostgreSQL. */
            ON,
            /** Never. */
            OFF
        }

        public Hints getMode() {
            return mode;
        }

        public void setMode(Hints mode) {
            this.mode = mode;
        }

        public String getListenUrl() {
            return listenUrl;
        }

        public void setListenUrl(String listenUrl) {
            this.listenUrl = listenUrl;
        }
    }

    /** An outbox in Redis. */
    public static class Redis {

        /** The name of the outbox, in braces the hash tag of all its keys. */
        private String name = "outbox";

        /** How many replicas have to confirm events before a write returns. None by default. */
        @Setting(rule = Rule.AT_LEAST_0)
        private int waitForReplicas;

        /** How long replicas may take for that; then the write fails, though the events are stored. */
        @Setting(rule = Rule.POSITIVE)
        private Duration replicaTimeout = Duration.ofSeconds(1);

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getWaitForReplicas() {
            return waitForReplicas;
        }

        public void setWaitForReplicas(int waitForReplicas) {
            this.waitForReplicas = waitForReplicas;
        }

        public Duration getReplicaTimeout() {
            return replicaTimeout;
        }

        public void setReplicaTimeout(Duration replicaTimeout) {
            this.replicaTimeout = replicaTimeout;
        }
    }
}
