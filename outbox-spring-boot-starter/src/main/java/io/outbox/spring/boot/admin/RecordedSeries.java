package io.outbox.spring.boot.admin;

import io.outbox.Outbox;
import io.outbox.admin.OutboxSeries;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.delivery.OutboxInMaking;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Records what each outbox does, for the administration to show. */
final class RecordedSeries implements OutboxFeature {

    private final Map<Outbox, OutboxSeries> byOutbox = new ConcurrentHashMap<>();

    @Override
    public void addTo(OutboxInMaking making) {
        making.builder().decorateMetrics(exporter -> {
            OutboxSeries series = OutboxSeries.around(exporter);
            making.whenBuilt(outbox -> byOutbox.put(outbox, series));
            return series;
        });
    }

    /** Returns what was recorded of an outbox; empty if it was not built by the starter. */
    public Optional<OutboxSeries> of(Outbox outbox) {
        return Optional.ofNullable(byOutbox.get(outbox));
    }
}
