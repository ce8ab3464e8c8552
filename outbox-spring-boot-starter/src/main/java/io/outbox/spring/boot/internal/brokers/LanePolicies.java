package io.outbox.spring.boot.internal.brokers;

import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.MultiplyingRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Backoff;
import io.outbox.spring.boot.OutboxPublisherProperties.Policy;
import java.time.Duration;
import java.util.function.Function;

/** Makes the lane policy of an event type: from its own settings, then the application's defaults, then ours. */
public final class LanePolicies {

    private static final double SAME_DELAY = 1;

    private final Policy defaults;
    private final Policy builtIn = Policy.ofDefaults();

    public LanePolicies(Policy defaults) {
        this.defaults = defaults;
    }

    public LanePolicy of(OutboxEventProperties event) {
        Duration fixedDelay = value(event, Policy::getFixedDelay);
        LanePolicy.Builder policy = LanePolicy.builder()
                .batchSize(batchSize(event))
                .maxAttempts(1 + value(event, Policy::getMaxRetries))
                .retryPolicy(retryPolicy(event, fixedDelay))
                .concurrency(value(event, Policy::getConcurrency))
                .pollInterval(fixedDelay)
                .startDelay(value(event, Policy::getInitialDelay));
        Integer rateLimit = value(event, Policy::getRateLimit);
        if (rateLimit != null) {
            policy.maxPerSecond(rateLimit);
        }
        return policy.build();
    }

    int batchSize(OutboxEventProperties event) {
        return value(event, Policy::getBatchSize);
    }

    private RetryPolicy retryPolicy(OutboxEventProperties event, Duration fixedDelay) {
        return backoff(event, Backoff::getEnabled)
                ? new MultiplyingRetryPolicy(backoff(event, Backoff::getDelay), backoff(event, Backoff::getMultiplier))
                : new MultiplyingRetryPolicy(fixedDelay, SAME_DELAY);
    }

    private <T> T backoff(OutboxEventProperties event, Function<Backoff, T> setting) {
        return value(event, policy -> setting.apply(policy.getBackoff()));
    }

    private <T> T value(OutboxEventProperties event, Function<Policy, T> setting) {
        T own = setting.apply(event);
        if (own != null) {
            return own;
        }
        T inherited = setting.apply(defaults);
        return inherited != null ? inherited : setting.apply(builtIn);
    }
}
