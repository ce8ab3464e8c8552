package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * The meters that one of our classes has in a registry. Their names begin with a prefix, and they are removed together.
 * Thread-safe.
 */
final class Meters implements AutoCloseable {

    private final MeterRegistry registry;
    private final String prefix;
    private final Tags common;
    private final Queue<Meter> all = new ConcurrentLinkedQueue<>();

    /** @param prefix what the names begin with, without the dot that follows */
    Meters(MeterRegistry registry, String prefix) {
        this(registry, prefix, Tags.empty());
    }

    /** @param common the tags that all of them have in addition to their own */
    Meters(MeterRegistry registry, String prefix, Iterable<Tag> common) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.prefix = Objects.requireNonNull(prefix, "namePrefix");
        this.common = Tags.of(Objects.requireNonNull(common, "tags"));
    }

    /**
     * Returns whether the registry has a counter of this name that the common tags do not tell from one created here.
     */
    boolean hasCounter(String name) {
        return registry.find(named(name)).counters().stream()
                .anyMatch(known -> common.stream().allMatch(tag -> {
                    String value = known.getId().getTag(tag.getKey());
                    return value == null || value.equals(tag.getValue());
                }));
    }

    /** @param tags keys and values in turn */
    Counter counter(String name, String description, String... tags) {
        return keep(Counter.builder(named(name))
                .description(description)
                .tags(common)
                .tags(tags)
                .register(registry));
    }

    Timer timer(String name, String description, String... tags) {
        return keep(Timer.builder(named(name))
                .description(description)
                .tags(common)
                .tags(tags)
                .register(registry));
    }

    DistributionSummary summary(String name, String description, String unit) {
        return keep(DistributionSummary.builder(named(name))
                .description(description)
                .baseUnit(unit)
                .tags(common)
                .register(registry));
    }

    void gauge(String name, String description, Supplier<Number> value, String... tags) {
        keep(Gauge.builder(named(name), value)
                .description(description)
                .tags(common)
                .tags(tags)
                .strongReference(true)
                .register(registry));
    }

    /** Adds a gauge, and returns the number that it shows. */
    AtomicLong level(String name, String description, String... tags) {
        AtomicLong level = new AtomicLong();
        gauge(name, description, level::get, tags);
        return level;
    }

    private String named(String name) {
        return prefix + "." + name;
    }

    private <M extends Meter> M keep(M meter) {
        all.add(meter);
        return meter;
    }

    /** Removes the meters from the registry. */
    @Override
    public void close() {
        for (Meter meter = all.poll(); meter != null; meter = all.poll()) {
            registry.remove(meter);
            meter.close();
        }
    }
}
