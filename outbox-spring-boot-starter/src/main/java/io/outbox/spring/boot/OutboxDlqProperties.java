package io.outbox.spring.boot;

import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of the dead letter queue, below {@code outbox.publisher.dlq}. Defaults are those of
 * {@link io.outbox.dead.DeadLetterPolicy}.
 *
 * @param enabled Whether events that die are moved to a table of their own.
 * @param tableName The table of dead letters, optionally with a schema. By default outbox_dlq_event, or for another
 *     outbox table its name with _dlq.
 * @param batchSize How many events one transfer moves.
 * @param transferToBatchSize How many events one transfer to the dead letters moves, if not batch-size.
 * @param transferFromBatchSize How many events one transfer from the dead letters moves, if not batch-size.
 * @param transferToInitialDelay How long after the start the first transfer to the dead letters is. Unless it or the
 *     fixed delay is set, events move when they die, and transfers only look for what is left.
 * @param transferToFixedDelay The time between two transfers to the dead letters.
 * @param transferFromInitialDelay How long after the start the first transfer from the dead letters is. Unless it or
 *     the fixed delay is set, events return when they are approved.
 * @param transferFromFixedDelay The time between two transfers from the dead letters.
 */
public record OutboxDlqProperties(
        boolean enabled,
        @Setting(rule = Rule.TABLE_NAME) String tableName,

        @Setting(rule = Rule.AT_LEAST_1) @DefaultValue("100")
        int batchSize,

        @Setting(rule = Rule.AT_LEAST_1) Integer transferToBatchSize,
        @Setting(rule = Rule.AT_LEAST_1) Integer transferFromBatchSize,

        @Setting(rule = Rule.NOT_NEGATIVE) @DefaultValue("300s")
        Duration transferToInitialDelay,

        @Setting(rule = Rule.POSITIVE) @DefaultValue("900s") Duration transferToFixedDelay,

        @Setting(rule = Rule.NOT_NEGATIVE) @DefaultValue("300s")
        Duration transferFromInitialDelay,

        @Setting(rule = Rule.POSITIVE) @DefaultValue("3600s")
        Duration transferFromFixedDelay,

        @DefaultValue CleanUp cleanUp,
        @NestedConfigurationProperty @DefaultValue OutboxPublisherProperties.Metrics metrics) {

    /**
     * How resolved letters are deleted: like delivered events, except for the values that are set here.
     *
     * @param enabled Whether resolved letters are deleted.
     * @param batchSize How many letters one transaction deletes.
     * @param ttl How long resolved letters are kept.
     * @param initialDelay How long after the start the first clean-up is.
     * @param fixedDelay The time between two clean-ups.
     */
    public record CleanUp(
            Boolean enabled,
            @Setting(rule = Rule.AT_LEAST_1) Integer batchSize,
            @Setting(rule = Rule.NOT_NEGATIVE) Duration ttl,
            @Setting(rule = Rule.NOT_NEGATIVE) Duration initialDelay,
            @Setting(rule = Rule.POSITIVE) Duration fixedDelay) {}
}
