package io.outbox.spring.boot.internal.delivery;

import io.outbox.Outbox;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** An outbox that is about to be built. Not thread-safe. */
public final class OutboxInMaking {

    private final String name;
    private final OutboxSettings settings;
    private final OutboxBackend backend;
    private final MetricsExporter metrics;
    private final Outbox.AbstractBuilder<?> builder;
    private final List<Consumer<Outbox>> whenBuilt = new ArrayList<>();

    OutboxInMaking(
            String name,
            OutboxSettings settings,
            OutboxBackend backend,
            MetricsExporter metrics,
            Outbox.AbstractBuilder<?> builder) {
        this.name = name;
        this.settings = settings;
        this.backend = backend;
        this.metrics = metrics;
        this.builder = builder;
    }

    /** Returns its name; the empty text is that of the application's own. */
    public String name() {
        return name;
    }

    public OutboxSettings settings() {
        return settings;
    }

    public OutboxBackend backend() {
        return backend;
    }

    /**
     * Returns the application's exporter, to know it; whoever has something to report decorates that of the builder.
     */
    public MetricsExporter metrics() {
        return metrics;
    }

    public Outbox.AbstractBuilder<?> builder() {
        return builder;
    }

    /** Adds what is to be done with the outbox once there is one. */
    public void whenBuilt(Consumer<Outbox> action) {
        whenBuilt.add(action);
    }

    Outbox build() {
        Outbox outbox = builder.build();
        whenBuilt.forEach(action -> action.accept(outbox));
        return outbox;
    }
}
