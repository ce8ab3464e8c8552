package io.outbox.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.model.BlockedKey;
import io.outbox.model.StoreFigure;
import io.outbox.model.StoreFigure.Kind;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MicrometerMetricsExporterTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static void reportEverything(MicrometerMetricsExporter exporter) {
        exporter.incrementHotEnqueued();
        exporter.incrementHotDropped();
        exporter.incrementColdEnqueued();
        exporter.incrementDispatchSuccess();
        exporter.incrementDispatchFailure();
        exporter.incrementDispatchDead();
        exporter.incrementDispatchDeferred();
        exporter.incrementHotSkippedDelayed();
        exporter.incrementHintsSent();
        exporter.incrementHintsDropped();
        exporter.incrementHintsHeard();
        exporter.incrementAdminRefused("unauthorized");
        exporter.recordQueueDepths(3, 4);
        exporter.recordOldestLagMs(1500);
        exporter.recordOldestLagByTypeMs(Map.of("Placed", 1500L, "Paid", 20L));
        exporter.recordDispatchLatency("Placed", 7_500);
        exporter.recordListenerDuration("Placed", 9_000_001);
        exporter.incrementFenced(2);
        exporter.recordCompletionBatchSize(50);
        exporter.incrementPurged(600);
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox", "orders.outbox"})
    void hasAMeterForEverythingThatIsReported(String prefix) {
        try (MicrometerMetricsExporter exporter = prefix.equals(MicrometerMetricsExporter.DEFAULT_PREFIX)
                ? new MicrometerMetricsExporter(registry)
                : new MicrometerMetricsExporter(registry, prefix)) {
            reportEverything(exporter);
            for (String counter : new String[] {
                "enqueue.hot",
                "enqueue.hot.dropped",
                "enqueue.cold",
                "dispatch.success",
                "dispatch.failure",
                "dispatch.dead",
                "dispatch.deferred",
                "enqueue.hot.skipped.delayed",
                "wakeup.sent",
                "wakeup.dropped",
                "wakeup.heard"
            }) {
                assertThat(registry.get(prefix + "." + counter).counter().count())
                        .as(counter)
                        .isEqualTo(1);
            }
            assertThat(registry.get(prefix + ".admin.refused")
                            .tag("reason", "unauthorized")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(gauge(prefix + ".queue.hot.depth")).isEqualTo(3);
            assertThat(gauge(prefix + ".queue.cold.depth")).isEqualTo(4);
            assertThat(gauge(prefix + ".lag.oldest.ms")).isEqualTo(1500);
            assertThat(lag(prefix, "Placed")).isEqualTo(1500);
            assertThat(lag(prefix, "Paid")).isEqualTo(20);
            assertThat(registry.get(prefix + ".dispatch.latency")
                            .tag("event.type", "Placed")
                            .timer()
                            .totalTime(TimeUnit.NANOSECONDS))
                    .isEqualTo(7_500);
            assertThat(registry.get(prefix + ".listener.duration")
                            .tag("event.type", "Placed")
                            .timer()
                            .totalTime(TimeUnit.NANOSECONDS))
                    .isEqualTo(9_000_001);
            assertThat(registry.get(prefix + ".claims.fenced").counter().count())
                    .isEqualTo(2);
            assertThat(registry.get(prefix + ".completion.batch.size").summary().max())
                    .isEqualTo(50);
            assertThat(registry.get(prefix + ".purged").counter().count()).isEqualTo(600);
        }
    }

    private double gauge(String name) {
        return registry.get(name).gauge().value();
    }

    private double lag(String prefix, String eventType) {
        return registry.get(prefix + ".lag.oldest.by.type.ms")
                .tag("event.type", eventType)
                .gauge()
                .value();
    }

    @Test
    void forgetsTheLagOfATypeThatHasNone() {
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.recordOldestLagByTypeMs(Map.of("Placed", 1500L));
            exporter.recordOldestLagByTypeMs(Map.of("Paid", 10L));
            assertThat(lag("outbox", "Placed")).isZero();
            assertThat(lag("outbox", "Paid")).isEqualTo(10);
        }
    }

    @Test
    void removesItsMetersOnCloseAndNoOthers() {
        registry.counter("outbox.of.the.application").increment();
        MicrometerMetricsExporter orders = new MicrometerMetricsExporter(registry, "orders");
        MicrometerMetricsExporter billing = new MicrometerMetricsExporter(registry, "billing");
        reportEverything(orders);
        reportEverything(billing);

        orders.close();
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .noneMatch(name -> name.startsWith("orders"))
                .anyMatch(name -> name.startsWith("billing"));

        billing.close();
        billing.close();
        assertThat(registry.getMeters())
                .extracting(Meter::getId)
                .extracting(Meter.Id::getName)
                .containsExactly("outbox.of.the.application");
    }

    @Test
    void keepsTwoOutboxesApart() {
        try (MicrometerMetricsExporter orders = new MicrometerMetricsExporter(registry, "orders");
                MicrometerMetricsExporter billing = new MicrometerMetricsExporter(registry, "billing")) {
            orders.incrementDispatchSuccess();
            orders.recordQueueDepths(1, 2);
            billing.recordQueueDepths(3, 4);
            assertThat(registry.get("orders.dispatch.success").counter().count())
                    .isEqualTo(1);
            assertThat(registry.get("billing.dispatch.success").counter().count())
                    .isZero();
            assertThat(gauge("orders.queue.hot.depth")).isEqualTo(1);
            assertThat(gauge("billing.queue.hot.depth")).isEqualTo(3);
        }
    }

    @Test
    void keepsTwoOutboxesOfOnePrefixApartByTheirTags() {
        Tags ofOrders = Tags.of("outbox", "orders");
        Tags ofBilling = Tags.of("outbox", "billing");
        MicrometerMetricsExporter orders = new MicrometerMetricsExporter(registry, "outbox", ofOrders);
        MicrometerMetricsExporter billing = new MicrometerMetricsExporter(registry, "outbox", ofBilling);
        reportEverything(orders);

        assertThat(registry.getMeters())
                .as("every meter has the tag, since Prometheus wants the same keys for all of a name")
                .allMatch(meter -> meter.getId().getTag("outbox") != null);
        assertThat(registry.get("outbox.dispatch.success")
                        .tags(ofOrders)
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("outbox.dispatch.success")
                        .tags(ofBilling)
                        .counter()
                        .count())
                .isZero();
        assertThatIllegalStateException()
                .as("the same tags")
                .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", ofOrders))
                .withMessageContaining("'outbox'")
                .withMessageContaining("orders");
        assertThatIllegalStateException()
                .as("no tags beside tags")
                .isThrownBy(() -> new MicrometerMetricsExporter(registry));

        orders.close();
        assertThat(registry.getMeters())
                .isNotEmpty()
                .allMatch(meter -> "billing".equals(meter.getId().getTag("outbox")));
        billing.close();
    }

    @Test
    void refusesTagsBesideNone() {
        try (MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> new MicrometerMetricsExporter(registry, "outbox", Tags.of("outbox", "orders")));
            first.incrementDispatchSuccess();
        }
    }

    @Test
    void refusesAPrefixThatIsTaken() {
        MicrometerMetricsExporter first = new MicrometerMetricsExporter(registry);
        assertThatIllegalStateException()
                .isThrownBy(() -> new MicrometerMetricsExporter(registry))
                .withMessageContaining("'outbox'");
        first.close();
        new MicrometerMetricsExporter(registry).close();
    }

    @Test
    void hasHistogramsWhereTheApplicationWantsThem() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        prometheus.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                        .percentilesHistogram(id.getName().startsWith("outbox."))
                        .build()
                        .merge(config);
            }
        });
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(prometheus)) {
            reportEverything(exporter);
            assertThat(prometheus.scrape())
                    .contains("outbox_listener_duration_seconds_bucket")
                    .contains("outbox_dispatch_latency_seconds_bucket")
                    .contains("outbox_completion_batch_size_events_bucket")
                    .contains("outbox_enqueue_hot_total 1.0")
                    .contains("outbox_lag_oldest_ms 1500.0")
                    .contains("outbox_lag_oldest_by_type_ms{event_type=\"Placed\"} 1500.0");
        }
    }

    @Test
    void checksItsArguments() {
        assertThatNullPointerException().isThrownBy(() -> new MicrometerMetricsExporter(null));
        assertThatNullPointerException().isThrownBy(() -> new MicrometerMetricsExporter(registry, null));
        assertThatIllegalArgumentException().isThrownBy(() -> new MicrometerMetricsExporter(registry, " "));
        assertThatIllegalArgumentException().isThrownBy(() -> new MicrometerMetricsExporter(registry, "orders."));
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void countsDeadEventsOnceForManyReaders() {
        AtomicInteger queries = new AtomicInteger();
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.gaugeDead(() -> 6 + queries.incrementAndGet());
            assertThat(queries).as("nobody has asked yet").hasValue(0);
            assertThat(registry.get("outbox.events.dead").gauge().value()).isEqualTo(7);
            assertThat(registry.get("outbox.events.dead").gauge().value()).isEqualTo(7);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void knowsNoNumberOfDeadEventsWhenTheStoreDoesNotAnswer() {
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.gaugeDead(() -> {
                throw new IllegalStateException("no database");
            });
            assertThat(registry.get("outbox.events.dead").gauge().value()).isNaN();
        }
    }

    @Test
    void theStoreIsAskedOnceForAllItsGaugesAndWhatItDoesNotTellIsNotANumber() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        AtomicInteger asked = new AtomicInteger();
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(meters)) {
            exporter.gaugeStore(EnumSet.of(Kind.DEAD_ROWS, Kind.BLOCKED_STATEMENTS), () -> {
                asked.incrementAndGet();
                return List.of(new StoreFigure(Kind.DEAD_ROWS, 42, null));
            });

            assertThat(meters.get("outbox.database.dead.rows").gauge().value()).isEqualTo(42);
            assertThat(meters.get("outbox.database.blocked.statements").gauge().value())
                    .isNaN();
            assertThat(meters.find("outbox.database.slot.retained.bytes").gauge())
                    .isNull();
            assertThat(asked).hasValue(1);
        }
    }

    @Test
    void anOutboxWithoutOrderHasNoMetersOfKeys() {
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.incrementDispatchSuccess();

            assertThat(registry.getMeters())
                    .noneMatch(meter -> meter.getId().getName().contains("keyed"));
        }
    }

    @Test
    void countsWhatBecomesOfKeys() {
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.incrementKeyedClaims(3, 1);
            exporter.incrementKeyedParked();
            exporter.incrementKeyedResumed();
            exporter.incrementKeyedSkipped();
            exporter.incrementKeyedLate(2);
            exporter.recordOldestKeyedLagMs(1500);

            assertThat(keyed("claims", "result", "taken")).isEqualTo(3);
            assertThat(keyed("claims", "result", "empty")).isEqualTo(1);
            assertThat(keyed("parked")).isEqualTo(1);
            assertThat(keyed("resumed")).isEqualTo(1);
            assertThat(keyed("skipped")).isEqualTo(1);
            assertThat(keyed("late")).isEqualTo(2);
            assertThat(registry.get("outbox.keyed.lag.oldest.ms").gauge().value())
                    .isEqualTo(1500);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    private double keyed(String name, String... tags) {
        return registry.get("outbox.keyed." + name).tags(tags).counter().count();
    }

    @Test
    void blockedKeysAreCountedOnceForAllTheirGauges() {
        AtomicInteger queries = new AtomicInteger();
        try (MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry)) {
            exporter.gaugeBlocked(() -> {
                queries.incrementAndGet();
                return new BlockedKey.Figures(2, 40, Instant.now().minusSeconds(60), true);
            });
            assertThat(queries).as("nobody has asked yet").hasValue(0);

            assertThat(registry.get("outbox.keyed.blocked").gauge().value()).isEqualTo(2);
            assertThat(registry.get("outbox.keyed.waiting").gauge().value()).isEqualTo(40);
            assertThat(registry.get("outbox.keyed.blocked.oldest.ms").gauge().value())
                    .isGreaterThanOrEqualTo(60_000);
            assertThat(queries).hasValue(1);
        }
        assertThat(registry.getMeters()).isEmpty();
    }
}
