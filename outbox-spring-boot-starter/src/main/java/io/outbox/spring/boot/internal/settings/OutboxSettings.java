package io.outbox.spring.boot.internal.settings;

import io.outbox.Ordering;
import io.outbox.dispatch.StackTraces;
import io.outbox.poller.StuckRecovery;
import io.outbox.spring.boot.OutboxProperties.Mode;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * The settings of an outbox as they are in force: decided once by {@link SettingsDecision}, checked, and never changed.
 *
 * @param purge what is deleted and when, or empty if events are kept
 */
public record OutboxSettings(Mode mode, Table table, Delivery delivery, Optional<Purge> purge, Monitoring monitoring) {

    /** Returns the mode as an application writes it, such as {@code single-node}. */
    public String modeName() {
        return SettingText.of(mode);
    }

    /**
     * The outbox table.
     *
     * @param name its name, optionally with a schema
     * @param initialize when it is created
     * @param redisName the name of the outbox in Redis, which is there in place of a table; {@code null} in a database
     */
    public record Table(String name, DatabaseInitializationMode initialize, String redisName) {

        boolean isInRedis() {
            return redisName != null;
        }

        /** Returns where events are, for messages. */
        public String place() {
            return isInRedis() ? "Redis under the name " + redisName : "table " + name;
        }
    }

    /**
     * How events are delivered.
     *
     * @param stackTraces how much of the stack trace of a failure is stored
     * @param autoStartup whether delivery starts with the application
     * @param ordering how events of one key keep their order; {@code null} if they do not
     */
    public record Delivery(
            Workers workers,
            Retry retry,
            Polling polling,
            Locking locking,
            StackTraces stackTraces,
            boolean autoStartup,
            Ordering ordering) {

        /** Returns whether events of one key keep their order. */
        public boolean ordersByKey() {
            return ordering != null;
        }
    }

    /** Who delivers, and what may wait for them. */
    public record Workers(
            int count, int hotQueueCapacity, int coldQueueCapacity, int maxAttempts, Duration drainTimeout) {}

    /** When a failed event is tried again. */
    public record Retry(Duration baseDelay, Duration maxDelay) {}

    /**
     * How events are found that the hot path did not take.
     *
     * @param minInterval how soon to look again after some were found
     * @param batchSize how many are read at a time, if somebody has set that
     */
    public record Polling(Duration interval, Duration minInterval, OptionalInt batchSize, Duration skipRecent) {}

    /**
     * How several nodes share the table.
     *
     * @param ownerId the name of this node, or {@code null} for a random one
     * @param recovery when events of dead nodes are taken over, or {@code null} for with every poll
     * @param unroutableGrace how long events without a listener here are left to other nodes
     */
    public record Locking(String ownerId, Duration lockTimeout, StuckRecovery recovery, Duration unroutableGrace) {}

    /**
     * How finished events are deleted.
     *
     * @param keepsDead whether DEAD events stay
     * @param initialDelay how long after the start the first run is
     */
    public record Purge(
            Duration retention, boolean keepsDead, int batchSize, Duration interval, Duration initialDelay) {}

    /**
     * What an operator sees.
     *
     * @param meters whether meters are registered
     * @param meterPrefix what their names begin with
     * @param maxLag the age of the oldest due event from which on health is down
     */
    public record Monitoring(boolean meters, String meterPrefix, Duration maxLag) {}
}
