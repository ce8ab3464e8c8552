package io.outbox.spring.boot.brokers;

import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.MultiplyingRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Policy;

/** Makes the lane policy of an event type: from its own settings, then the defaults. */
final class LanePolicies {

    private static final double SAME_DELAY = 1;

    private final Policy defaults;

    LanePolicies(Policy defaults) {
        this.defaults = defaults;
    }

    public LanePolicy of(OutboxEventProperties event) {
        Policy settings = event.policy().or(defaults);
        LanePolicy.Builder policy = LanePolicy.builder()
                .batchSize(settings.batchSize())
                .maxAttempts(1 + settings.maxRetries())
                .retryPolicy(retryPolicy(settings))
                .concurrency(settings.concurrency())
                .pollInterval(settings.fixedDelay())
                .startDelay(settings.initialDelay());
        if (settings.rateLimit() != null) {
            policy.maxPerSecond(settings.rateLimit());
        }
        return policy.build();
    }

    int batchSize(OutboxEventProperties event) {
        return event.policy().or(defaults).batchSize();
    }

    private static RetryPolicy retryPolicy(Policy settings) {
        return settings.backoff().enabled()
                ? new MultiplyingRetryPolicy(
                        settings.backoff().delay(), settings.backoff().multiplier())
                : new MultiplyingRetryPolicy(settings.fixedDelay(), SAME_DELAY);
    }
}
