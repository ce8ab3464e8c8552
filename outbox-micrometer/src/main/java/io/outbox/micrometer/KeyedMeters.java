package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;

/** The meters of order by key. */
final class KeyedMeters {

    private final MeterRegistry registry;
    private final String prefix;
    private final Queue<Meter> meters;
    final Counter taken;
    final Counter empty;
    final Counter parked;
    final Counter resumed;
    final Counter skipped;
    final Counter late;
    final AtomicLong oldestLagMs = new AtomicLong();

    /** @param meters where meters are put that are created here */
    KeyedMeters(MeterRegistry registry, String prefix, Queue<Meter> meters) {
        this.registry = registry;
        this.prefix = prefix;
        this.meters = meters;
        this.taken = claims("taken");
        this.empty = claims("empty");
        this.parked = counter("parked", "Events that failed for good and block their key");
        this.resumed = counter("resumed", "Events that blocked their key and were delivered again by an operator");
        this.skipped = counter("skipped", "Events that failed for good and that their key went on without");
        this.late = counter("late", "Events that were committed after a later one of their key was delivered");
        meters.add(Gauge.builder(prefix + ".keyed.lag.oldest.ms", oldestLagMs::get)
                .description("Age of the oldest due event that is the first of its key, in milliseconds")
                .strongReference(true)
                .register(registry));
    }

    private Counter claims(String result) {
        return keep(Counter.builder(prefix + ".keyed.claims")
                .description("Keys that were looked at, by whether there was anything for this node")
                .tag("result", result)
                .register(registry));
    }

    private Counter counter(String name, String description) {
        return keep(Counter.builder(prefix + ".keyed." + name)
                .description(description)
                .register(registry));
    }

    private Counter keep(Counter counter) {
        meters.add(counter);
        return counter;
    }
}
