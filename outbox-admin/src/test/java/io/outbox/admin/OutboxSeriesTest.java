package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A series passes everything on, and knows what happened in each slot. */
class OutboxSeriesTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2025-06-01T12:00:05Z"), ZoneOffset.UTC);

    @Test
    void passesEveryMethodOn() throws Exception {
        List<String> called = new ArrayList<>();
        MetricsExporter next = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    called.add(method.getName());
                    return null;
                });
        OutboxSeries series = OutboxSeries.around(next, CLOCK);
        List<String> all = new ArrayList<>();
        for (Method method : MetricsExporter.class.getMethods()) {
            method.invoke(
                    series,
                    Stream.of(method.getParameterTypes())
                            .map(OutboxSeriesTest::zero)
                            .toArray());
            all.add(method.getName());
        }

        assertThat(called).isEqualTo(all);
    }

    private static Object zero(Class<?> type) {
        if (type == long.class) {
            return 0L;
        }
        if (type == boolean.class) {
            return false;
        }
        return type == int.class ? 0 : null;
    }

    @Test
    void aSlotHasTheMeanTheLongestAndTheNumberOfItsLatencies() {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP, CLOCK);
        series.recordDispatchLatencyMs(1);
        series.recordDispatchLatencyMs(1);
        series.recordDispatchLatencyMs(10);
        series.incrementDispatchSuccess();
        series.recordQueueDepths(7, 3);
        series.recordQueueDepths(2, 4);

        List<Views.Slot> slots = series.last(Duration.ofSeconds(20));

        assertThat(slots).hasSize(2);
        assertThat(slots.get(0).latencyMs()).isNull();
        assertThat(slots.get(1))
                .isEqualTo(new Views.Slot(Instant.parse("2025-06-01T12:00:00Z"), 1, 0, 0, 3, 4L, 10L, 0, 7, 4));
    }
}
