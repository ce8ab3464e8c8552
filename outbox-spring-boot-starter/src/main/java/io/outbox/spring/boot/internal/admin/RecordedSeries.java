package io.outbox.spring.boot.internal.admin;

import io.outbox.Outbox;
import io.outbox.admin.OutboxSeries;
import io.outbox.spi.MetricsExporter;
import io.outbox.spring.boot.internal.delivery.MetricsTap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Records what each outbox does, for the administration to show. */
public final class RecordedSeries implements MetricsTap {

    private final Map<Outbox, OutboxSeries> byOutbox = new ConcurrentHashMap<>();

    @Override
    public MetricsExporter around(MetricsExporter exporter) {
        return OutboxSeries.around(exporter);
    }

    @Override
    public void built(Outbox outbox, MetricsExporter tapped) {
        byOutbox.put(outbox, (OutboxSeries) tapped);
    }

    /** Returns what was recorded of an outbox; empty if it was not built by the starter. */
    public Optional<OutboxSeries> of(Outbox outbox) {
        return Optional.ofNullable(byOutbox.get(outbox));
    }
}
