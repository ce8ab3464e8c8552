package io.outbox.spring.boot.internal.delivery;

import io.outbox.Outbox;
import io.outbox.spi.MetricsExporter;

/** Listens in on what an outbox reports to its exporter. */
public interface MetricsTap {

    /** Nobody listens in. */
    MetricsTap NONE = new MetricsTap() {};

    /** Returns the exporter that an outbox is built with, in place of the other one. */
    default MetricsExporter around(MetricsExporter exporter) {
        return exporter;
    }

    /** Called when the outbox is built. */
    default void built(Outbox outbox, MetricsExporter tapped) {}
}
