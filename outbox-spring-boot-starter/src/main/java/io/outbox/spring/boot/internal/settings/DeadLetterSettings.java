package io.outbox.spring.boot.internal.settings;

import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.DeadLetterPolicy.CleanUp;
import io.outbox.dead.DeadLetterPolicy.Transfer;
import io.outbox.dead.OutboxDlqHandler;
import io.outbox.spring.boot.OutboxDlqProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of dead letters as they are in force.
 *
 * @param tableName the table of dead letters, or {@code null} for the one that goes with the outbox table
 * @param atDeath whether events are moved by the transaction that lets them die
 */
public record DeadLetterSettings(String tableName, boolean atDeath, DeadLetterPolicy policy) {

    /**
     * Decides; empty if there are no dead letters. Events move when they die, and return when they are approved, unless
     * the application sets a delay of that transfer. The clean-up follows that of delivered events, key by key.
     */
    public static Optional<DeadLetterSettings> of(ExplicitSettings explicit, OutboxPublisherProperties publisher) {
        OutboxDlqProperties dlq = publisher.dlq();
        if (!publisher.enabled() || !dlq.enabled()) {
            return Optional.empty();
        }
        Transfer sweep = new Transfer(
                or(dlq.transferToBatchSize(), dlq.batchSize()),
                dlq.transferToInitialDelay(),
                dlq.transferToFixedDelay());
        Transfer giveBack = new Transfer(
                or(dlq.transferFromBatchSize(), dlq.batchSize()),
                dlq.transferFromInitialDelay(),
                dlq.transferFromFixedDelay());
        return Optional.of(new DeadLetterSettings(
                dlq.tableName(),
                !isDelayed(explicit, "transfer-to"),
                new DeadLetterPolicy(
                        sweep,
                        giveBack,
                        !isDelayed(explicit, "transfer-from"),
                        cleanUp(publisher.cleanUp(), dlq.cleanUp()),
                        OutboxDlqHandler.LOGGING)));
    }

    private static boolean isDelayed(ExplicitSettings explicit, String transfer) {
        return Stream.of("-initial-delay", "-fixed-delay")
                .anyMatch(delay -> explicit.has(PublisherKeys.of("dlq." + transfer + delay)));
    }

    private static CleanUp cleanUp(OutboxPublisherProperties.CleanUp shared, OutboxDlqProperties.CleanUp own) {
        return or(own.enabled(), shared.enabled())
                ? new CleanUp(
                        or(own.ttl(), shared.ttl()),
                        new Transfer(
                                or(own.batchSize(), shared.batchSize()),
                                or(own.initialDelay(), shared.initialDelay()),
                                or(own.fixedDelay(), shared.fixedDelay())))
                : null;
    }

    private static <T> T or(T own, T shared) {
        return own != null ? own : shared;
    }
}
