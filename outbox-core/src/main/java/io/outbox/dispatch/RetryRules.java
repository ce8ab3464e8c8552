package io.outbox.dispatch;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * A policy with rules by exception. Immutable.
 *
 * @param basis who decides about exceptions without a rule, unless only listed ones are retried
 * @param rules who decides about exceptions of a type
 * @param listedOnly whether an exception without a rule ends the event
 */
record RetryRules(RetryPolicy basis, Map<Class<? extends Throwable>, RetryPolicy> rules, boolean listedOnly)
        implements RetryPolicy {

    /** Causes deeper than any real exception has; one may be its own. */
    private static final int DEEPEST_CAUSE = 100;

    private enum Never implements RetryPolicy {
        INSTANCE;

        @Override
        public long computeDelayMs(int attempts) {
            throw new UnsupportedOperationException("There is no next attempt");
        }

        @Override
        public Optional<Duration> retryDelay(int attempts, Throwable error) {
            return Optional.empty();
        }
    }

    RetryRules {
        rules = Map.copyOf(rules);
    }

    @Override
    public String describe() {
        return basis.describe() + "; others for some errors";
    }

    static RetryRules none(RetryPolicy basis) {
        return new RetryRules(basis, Map.of(), false);
    }

    @Override
    public RetryPolicy retryOn(Class<? extends Throwable> type) {
        return with(type, basis, true);
    }

    @Override
    public RetryPolicy neverOn(Class<? extends Throwable> type) {
        return with(type, Never.INSTANCE, listedOnly);
    }

    @Override
    public RetryPolicy delayOn(Class<? extends Throwable> type, RetryPolicy policy) {
        return with(type, Objects.requireNonNull(policy, "policy"), listedOnly);
    }

    private RetryRules with(Class<? extends Throwable> type, RetryPolicy rule, boolean onlyListed) {
        Objects.requireNonNull(type, "type");
        Map<Class<? extends Throwable>, RetryPolicy> more = new HashMap<>(rules);
        if (more.putIfAbsent(type, rule) != null) {
            throw new IllegalStateException("There is a rule for " + type.getName() + " already");
        }
        return new RetryRules(basis, more, onlyListed);
    }

    @Override
    public long computeDelayMs(int attempts) {
        return basis.computeDelayMs(attempts);
    }

    @Override
    public Optional<Duration> retryDelay(int attempts, Throwable error) {
        return ruleFor(error).retryDelay(attempts, error);
    }

    private RetryPolicy ruleFor(Throwable error) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
            for (Class<?> type = cause.getClass(); type != null; type = type.getSuperclass()) {
                RetryPolicy rule = rules.get(type);
                if (rule != null) {
                    return rule;
                }
            }
            cause = cause.getCause();
        }
        return listedOnly ? Never.INSTANCE : basis;
    }
}
