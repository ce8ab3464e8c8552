package io.outbox.spring.boot.internal.delivery;

import io.outbox.spi.HousekeepingBackend;
import io.outbox.spi.MetricsExporter;

/** Adds to the meters of an outbox those whose values its store has to be asked for. */
@FunctionalInterface
public interface StoreMeters {

    StoreMeters NONE = (exporter, store) -> {};

    void bind(MetricsExporter exporter, HousekeepingBackend store);
}
