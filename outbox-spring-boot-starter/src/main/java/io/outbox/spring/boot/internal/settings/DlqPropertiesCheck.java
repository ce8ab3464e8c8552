package io.outbox.spring.boot.internal.settings;

import static io.outbox.spring.boot.internal.settings.PublisherPropertiesCheck.checkAtLeast;
import static io.outbox.spring.boot.internal.settings.PublisherPropertiesCheck.checkNotNegativeIfSet;
import static io.outbox.spring.boot.internal.settings.PublisherPropertiesCheck.checkPositiveIfSet;
import static io.outbox.spring.boot.internal.settings.PublisherPropertiesCheck.checkTtls;

import io.outbox.jdbc.TableNames;
import io.outbox.spring.boot.OutboxDlqProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The rules for {@link OutboxDlqProperties}, each for itself. */
final class DlqPropertiesCheck {

    private DlqPropertiesCheck() {}

    static void check(OutboxDlqProperties dlq) {
        checkTableName(dlq.getTableName());
        checkAtLeast(1, key("batch-size"), dlq.getBatchSize());
        checkAtLeast(1, key("transfer-to-batch-size"), dlq.getTransferToBatchSize());
        checkAtLeast(1, key("transfer-from-batch-size"), dlq.getTransferFromBatchSize());
        Rules.notNegative(key("transfer-to-initial-delay"), dlq.getTransferToInitialDelay());
        Rules.positive(key("transfer-to-fixed-delay"), dlq.getTransferToFixedDelay());
        Rules.notNegative(key("transfer-from-initial-delay"), dlq.getTransferFromInitialDelay());
        Rules.positive(key("transfer-from-fixed-delay"), dlq.getTransferFromFixedDelay());
        checkAtLeast(1, key("clean-up.batch-size"), dlq.getCleanUp().getBatchSize());
        checkNotNegativeIfSet(key("clean-up.ttl"), dlq.getCleanUp().getTtl());
        checkNotNegativeIfSet(key("clean-up.initial-delay"), dlq.getCleanUp().getInitialDelay());
        checkPositiveIfSet(key("clean-up.fixed-delay"), dlq.getCleanUp().getFixedDelay());
        checkTtls(
                key("metrics.gauge.cache.ttls"),
                dlq.getMetrics().getGauge().getCache().getTtls());
    }

    private static void checkTableName(String tableName) {
        try {
            if (tableName != null) {
                TableNames.validate(tableName);
            }
        } catch (IllegalArgumentException e) {
            // the constructor with a cause is not public on Spring Boot 3
            throw new InvalidConfigurationPropertyValueException(key("table-name"), tableName, e.getMessage());
        }
    }

    static String key(String setting) {
        return PublisherKeys.of("dlq." + setting);
    }
}
