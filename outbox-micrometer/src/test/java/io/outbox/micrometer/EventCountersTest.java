package io.outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.outbox.model.EventStatus;
import org.junit.jupiter.api.Test;

/** The counters and gauges of {@link MicrometerMetricsExporter} that tell event types apart. */
class EventCountersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);

    @Test
    void countsEventsThatEndedAndNotAttempts() {
        exporter.recordOutcome("Placed", EventStatus.DONE);
        exporter.recordOutcome("Placed", EventStatus.DONE);
        exporter.recordOutcome("Placed", EventStatus.RETRY);
        exporter.recordOutcome("Placed", EventStatus.NEW);
        exporter.recordOutcome("Paid", EventStatus.DEAD);
        assertThat(registry.get("outbox.events.rate").counters())
                .extracting(
                        counter -> counter.getId().getTag("event.type"),
                        counter -> counter.getId().getTag("status"),
                        counter -> counter.count())
                .containsExactlyInAnyOrder(tuple("Placed", "processed", 2.0), tuple("Paid", "failed", 1.0));
    }

    @Test
    void countsEventsTakenOverAndDeleted() {
        exporter.incrementRecovered(3);
        exporter.incrementPurged(7);
        assertThat(registry.get("outbox.events.by.type.rate")
                        .tag("type", "recovered")
                        .counter()
                        .count())
                .isEqualTo(3);
        assertThat(registry.get("outbox.events.by.type.rate")
                        .tag("type", "cleaned")
                        .counter()
                        .count())
                .isEqualTo(7);
    }

    @Test
    void tellsWhichRouteIsUnavailable() {
        exporter.recordRouteUnavailable("Placed", true);
        exporter.recordRouteUnavailable("Paid", true);
        exporter.recordRouteUnavailable("Paid", false);
        assertThat(registry.get("outbox.route.unavailable")
                        .tag("event.type", "Placed")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("outbox.route.unavailable")
                        .tag("event.type", "Paid")
                        .gauge()
                        .value())
                .isZero();
        exporter.close();
        assertThat(registry.getMeters()).isEmpty();
    }
}
