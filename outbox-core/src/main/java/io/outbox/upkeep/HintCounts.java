package io.outbox.upkeep;

import io.outbox.spi.MetricsExporter;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Reports the messages of one transport of hints to the metrics of the outboxes that use it. Outboxes with the same
 * exporter count together. Thread-safe; what an exporter throws stays here.
 */
public final class HintCounts {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final CopyOnWriteArrayList<MetricsExporter> exporters = new CopyOnWriteArrayList<>();
    private final Outage outage = new Outage(LOG, "The metrics exporter failed; hints are sent and heard without it");

    public void reportTo(MetricsExporter metrics) {
        exporters.addIfAbsent(Objects.requireNonNull(metrics, "metrics"));
    }

    public void sent() {
        report(MetricsExporter::incrementHintsSent);
    }

    public void dropped() {
        report(MetricsExporter::incrementHintsDropped);
    }

    public void heard() {
        report(MetricsExporter::incrementHintsHeard);
    }

    private void report(Consumer<MetricsExporter> call) {
        for (MetricsExporter exporter : exporters) {
            try {
                call.accept(exporter);
            } catch (RuntimeException | Error e) {
                outage.failed(e);
            }
        }
    }
}
