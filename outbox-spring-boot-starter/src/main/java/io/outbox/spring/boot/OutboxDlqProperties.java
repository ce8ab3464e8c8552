package io.outbox.spring.boot;

import io.outbox.dead.DeadLetterPolicy;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import java.time.Duration;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The settings of the dead letter queue, below {@code outbox.publisher.dlq}. */
public class OutboxDlqProperties {

    /** Whether events that die are moved to a table of their own. */
    private boolean enabled;

    /** The table of dead letters, optionally with a schema. By default outbox_dlq_event, or for another outbox table its name with _dlq. */
    @Setting(rule = Rule.TABLE_NAME)
    private String tableName;

    /** How many events one transfer moves. */
    @Setting(rule = Rule.AT_LEAST_1)
    private int batchSize = DeadLetterPolicy.DEFAULT_BATCH_SIZE;

    /** How many events one transfer to the dead letters moves, if not batch-size. */
    @Setting(rule = Rule.AT_LEAST_1)
    private Integer transferToBatchSize;

    /** How many events one transfer from the dead letters moves, if not batch-size. */
    @Setting(rule = Rule.AT_LEAST_1)
    private Integer transferFromBatchSize;

    /** How long after the start the first transfer to the dead letters is. Unless it or the fixed delay is set, events move when they die, and transfers only look for what is left. */
    @Setting(rule = Rule.NOT_NEGATIVE)
    private Duration transferToInitialDelay = DeadLetterPolicy.DEFAULT_INITIAL_DELAY;

    /** The time between two transfers to the dead letters. */
    @Setting(rule = Rule.POSITIVE)
    private Duration transferToFixedDelay = DeadLetterPolicy.DEFAULT_SWEEP_DELAY;

    /** How long after the start the first transfer from the dead letters is. Unless it or the fixed delay is set, events return when they are approved. */
    @Setting(rule = Rule.NOT_NEGATIVE)
    private Duration transferFromInitialDelay = DeadLetterPolicy.DEFAULT_INITIAL_DELAY;

    /** The time between two transfers from the dead letters. */
    @Setting(rule = Rule.POSITIVE)
    private Duration transferFromFixedDelay = DeadLetterPolicy.DEFAULT_GIVE_BACK_DELAY;

    private final CleanUp cleanUp = new CleanUp();

    @NestedConfigurationProperty
    private final OutboxPublisherProperties.Metrics metrics = new OutboxPublisherProperties.Metrics();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public String getTableName() {
        return tableName;
    }

    public void setTableName(String tableName) {
        this.tableName = tableName;
    }

    public int getBatchSize() {
        return batchSize;
    }

    public void setBatchSize(int batchSize) {
        this.batchSize = batchSize;
    }

    public Integer getTransferToBatchSize() {
        return transferToBatchSize;
    }

    public void setTransferToBatchSize(Integer transferToBatchSize) {
        this.transferToBatchSize = transferToBatchSize;
    }

    public Integer getTransferFromBatchSize() {
        return transferFromBatchSize;
    }

    public void setTransferFromBatchSize(Integer transferFromBatchSize) {
        this.transferFromBatchSize = transferFromBatchSize;
    }

    public Duration getTransferToInitialDelay() {
        return transferToInitialDelay;
    }

    public void setTransferToInitialDelay(Duration transferToInitialDelay) {
        this.transferToInitialDelay = transferToInitialDelay;
    }

    public Duration getTransferToFixedDelay() {
        return transferToFixedDelay;
    }

    public void setTransferToFixedDelay(Duration transferToFixedDelay) {
        this.transferToFixedDelay = transferToFixedDelay;
    }

    public Duration getTransferFromInitialDelay() {
        return transferFromInitialDelay;
    }

    public void setTransferFromInitialDelay(Duration transferFromInitialDelay) {
        this.transferFromInitialDelay = transferFromInitialDelay;
    }

    public Duration getTransferFromFixedDelay() {
        return transferFromFixedDelay;
    }

    public void setTransferFromFixedDelay(Duration transferFromFixedDelay) {
        this.transferFromFixedDelay = transferFromFixedDelay;
    }

    public CleanUp getCleanUp() {
        return cleanUp;
    }

    public OutboxPublisherProperties.Metrics getMetrics() {
        return metrics;
    }

    /** How resolved letters are deleted: as delivered events are, but for what is set here. */
    public static class CleanUp {

        /** Whether resolved letters are deleted. */
        private Boolean enabled;

        /** How many letters one transaction deletes. */
        @Setting(rule = Rule.AT_LEAST_1)
        private Integer batchSize;

        /** How long resolved letters are kept. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration ttl;

        /** How long after the start the first clean-up is. */
        @Setting(rule = Rule.NOT_NEGATIVE)
        private Duration initialDelay;

        /** The time between two clean-ups. */
        @Setting(rule = Rule.POSITIVE)
        private Duration fixedDelay;

        public Boolean getEnabled() {
            return enabled;
        }

        public void setEnabled(Boolean enabled) {
            this.enabled = enabled;
        }

        public Integer getBatchSize() {
            return batchSize;
        }

        public void setBatchSize(Integer batchSize) {
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
}
