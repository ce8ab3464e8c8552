package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.ScriptedBackend;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class MetricsExporterTest {

    /** What an implementation of the original interface has to write. */
    private static class Minimal implements MetricsExporter {
        private int calls;

        @Override
        public void incrementHotEnqueued() {
            calls++;
        }

        @Override
        public void incrementHotDropped() {
            calls++;
        }

        @Override
        public void incrementColdEnqueued() {
            calls++;
        }

        @Override
        public void incrementDispatchSuccess() {
            calls++;
        }

        @Override
        public void incrementDispatchFailure() {
            calls++;
        }

        @Override
        public void incrementDispatchDead() {
            calls++;
        }

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {
            calls++;
        }

        @Override
        public void recordOldestLagMs(long lagMs) {
            calls++;
        }
    }

    @Test
    void noopIgnoresEverything() {
        assertThatNoException().isThrownBy(() -> callAll(MetricsExporter.NOOP));
    }

    @Test
    void everyMeasurementBeyondTheFirstEightIsOptional() throws Exception {
        Minimal minimal = new Minimal();

        callAll(minimal);

        assertThat(minimal.calls).isEqualTo(8);
    }

    @Test
    void anExporterOfMillisecondsHearsOfADeliveryOnce() {
        List<String> heard = new CopyOnWriteArrayList<>();
        MetricsExporter milliseconds = new Minimal() {
            @Override
            public void recordDispatchLatencyMs(long latencyMs) {
                heard.add("latency");
            }

            @Override
            public void recordListenerDurationMs(long durationMs) {
                heard.add("duration");
            }
        };

        try (Outbox outbox = Outbox.singleNode()
                .backend(new ScriptedBackend().withoutTransactions())
                .listenerRegistry(new DefaultListenerRegistry().register("A", event -> DispatchResult.done()))
                .metrics(milliseconds)
                .startManually()
                .build()) {
            outbox.writer().write("A", "{}");
            outbox.deliverDue();
        }

        assertThat(heard).containsExactlyInAnyOrder("latency", "duration");
    }

    @Test
    void millisecondsAreWhole() {
        List<Long> heard = new ArrayList<>();
        MetricsExporter milliseconds = new Minimal() {
            @Override
            public void recordDispatchLatencyMs(long latencyMs) {
                heard.add(latencyMs);
            }

            @Override
            public void recordListenerDurationMs(long durationMs) {
                heard.add(durationMs);
            }
        };

        milliseconds.recordDispatchLatency("A", 2_999_999);
        milliseconds.recordListenerDuration("A", 3_000_000);

        assertThat(heard).containsExactly(2L, 3L);
    }

    private static void callAll(MetricsExporter metrics) throws Exception {
        for (Method method : MetricsExporter.class.getMethods()) {
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(MetricsExporterTest::argument)
                    .toArray();
            method.setAccessible(true);
            method.invoke(metrics, arguments);
        }
    }

    private static Object argument(Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == boolean.class) {
            return true;
        }
        if (type == String.class) {
            return "Type";
        }
        return type.isEnum() ? type.getEnumConstants()[0] : Map.of();
    }
}
