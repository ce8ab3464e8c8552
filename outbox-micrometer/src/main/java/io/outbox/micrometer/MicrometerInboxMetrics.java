package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.outbox.inbox.InboxMetrics;
import java.util.Objects;

/**
 * What idempotent consumers count, in a Micrometer registry: the counter {@value #NAME} with the tag {@code type},
 * which is {@code consumed}, {@code duplicated}, {@code failed}, {@code cleaned}, {@code cache-hit} or {@code
 * cache-miss}. Consumers that share a registry share the counters. Thread-safe.
 */
public final class MicrometerInboxMetrics implements InboxMetrics {

    /** The name of the counter; Prometheus shows it as {@code consumed_outbox_events_total}. */
    public static final String NAME = "consumed.outbox.events";

    private final Counter consumed;
    private final Counter duplicated;
    private final Counter failed;
    private final Counter cleaned;
    private final Counter cacheHit;
    private final Counter cacheMiss;

    /** Creates the counters, unless the registry has them already. */
    public MicrometerInboxMetrics(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        consumed = counter(registry, "consumed");
        duplicated = counter(registry, "duplicated");
        failed = counter(registry, "failed");
        cleaned = counter(registry, "cleaned");
        cacheHit = counter(registry, "cache-hit");
        cacheMiss = counter(registry, "cache-miss");
    }

    private static Counter counter(MeterRegistry registry, String type) {
        return Counter.builder(NAME)
                .description("Events that idempotent consumers took, skipped or failed at, or forgot")
                .tag("type", type)
                .register(registry);
    }

    @Override
    public void incrementConsumed(long count) {
        consumed.increment(count);
    }

    @Override
    public void incrementDuplicated(long count) {
        duplicated.increment(count);
    }

    @Override
    public void incrementFailed(long count) {
        failed.increment(count);
    }

    @Override
    public void incrementCleaned(long count) {
        cleaned.increment(count);
    }

    @Override
    public void incrementCacheHit(long count) {
        cacheHit.increment(count);
    }

    @Override
    public void incrementCacheMiss(long count) {
        cacheMiss.increment(count);
    }
}
