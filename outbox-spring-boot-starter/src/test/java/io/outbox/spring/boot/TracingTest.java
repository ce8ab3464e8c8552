package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.observation.OutboxProcessConvention;
import io.outbox.spring.boot.observation.OutboxWriteConvention;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A trace runs from the write to the listener, across the table and across retries. */
class TracingTest {

    private final ApplicationContextRunner runner = TestApplication.runner(Traces.class)
            .withPropertyValues("management.tracing.sampling.probability=1", "management.tracing.enabled=true");

    @Configuration(proxyBeanMethods = false)
    static class Traces {
        private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
        private final List<EventEnvelope> events = Collections.synchronizedList(new ArrayList<>());

        @Bean
        InMemorySpanExporter spans() {
            return InMemorySpanExporter.create();
        }

        @Bean
        SimpleSpanProcessor processor(InMemorySpanExporter spans) {
            return (SimpleSpanProcessor) SimpleSpanProcessor.create(spans);
        }

        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener placed(Tracer tracer) {
            return event -> {
                seen.add(tracer.currentSpan().context().traceId());
                events.add(event);
                if (seen.size() < 3) {
                    throw new IllegalStateException("not yet");
                }
                return DispatchResult.done();
            };
        }

        @Bean
        @OutboxListener(eventType = "Imported")
        BatchEventListener imported(Tracer tracer) {
            return batch -> {
                events.addAll(batch);
                return batch.stream().map(event -> BatchOutcome.done()).toList();
            };
        }
    }

    private static String writeInASpan(ApplicationContext context, EventEnvelope... events) {
        Tracer tracer = context.getBean(Tracer.class);
        Span request = tracer.nextSpan().name("request").start();
        try (Tracer.SpanInScope scope = tracer.withSpan(request)) {
            assertThat(scope).isNotNull();
            Deliveries.inTransaction(
                    context, () -> context.getBean(OutboxWriter.class).writeAll(List.of(events)));
        } finally {
            request.end();
        }
        return request.context().traceId();
    }

    private static List<SpanData> processing(ApplicationContext context) {
        return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream()
                .filter(span -> span.getKind() == SpanKind.CONSUMER)
                .toList();
    }

    @Test
    void continuesTheTraceOfTheWriterAtEveryAttempt() {
        runner.run(context -> {
            String traceId = writeInASpan(context, EventEnvelope.ofJson("Placed", "1"));
            Traces traces = context.getBean(Traces.class);
            await().untilAsserted(() -> assertThat(processing(context)).hasSize(3));
            assertThat(traces.seen).containsExactly(traceId, traceId, traceId);
            assertThat(traces.events.get(0).headers().get("traceparent")).contains(traceId);
            assertThat(processing(context)).allSatisfy(span -> {
                assertThat(span.getTraceId()).isEqualTo(traceId);
                assertThat(span.getName()).isEqualTo("Placed process");
                assertThat(span.getAttributes().get(AttributeKey.stringKey("outbox.aggregate.type")))
                        .as("of an event of no aggregate")
                        .isEqualTo("none");
            });
            SpanData write = context.getBean(InMemorySpanExporter.class).getFinishedSpanItems().stream()
                    .filter(span -> span.getKind() == SpanKind.PRODUCER)
                    .findFirst()
                    .orElseThrow();
            assertThat(write.getTraceId()).isEqualTo(traceId);
            assertThat(processing(context))
                    .extracting(SpanData::getParentSpanId)
                    .containsOnly(write.getSpanId());
        });
    }

    @Test
    void keepsATraceThatTheEventHasAlready() {
        runner.run(context -> {
            String own = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
            writeInASpan(
                    context,
                    EventEnvelope.builder("Imported")
                            .header("traceparent", own)
                            .payloadJson("1")
                            .build());
            Traces traces = context.getBean(Traces.class);
            await().until(() -> !traces.events.isEmpty());
            assertThat(traces.events.get(0).headers()).containsEntry("traceparent", own);
        });
    }

    @Test
    void hasASpanInTheTraceOfEachEventOfABatch() {
        runner.withPropertyValues("outbox.dispatcher.worker-count=1").run(context -> {
            String first =
                    writeInASpan(context, EventEnvelope.ofJson("Imported", "1"), EventEnvelope.ofJson("Imported", "2"));
            String second = writeInASpan(context, EventEnvelope.ofJson("Imported", "3"));
            await().untilAsserted(() -> assertThat(processing(context))
                    .extracting(SpanData::getTraceId)
                    .containsExactlyInAnyOrder(first, first, second));
        });
    }

    @Test
    void storesNothingWithoutTracing() {
        runner.withPropertyValues("management.observations.enable.outbox=false").run(context -> {
            writeInASpan(context, EventEnvelope.ofJson("Imported", "1"));
            Traces traces = context.getBean(Traces.class);
            await().until(() -> !traces.events.isEmpty());
            assertThat(traces.events.get(0).headers()).isEmpty();
        });
    }

    static class OpenTelemetryNames {
        @Bean
        OutboxWriteConvention writes() {
            return OutboxWriteConvention.openTelemetry();
        }

        @Bean
        OutboxProcessConvention processing() {
            return OutboxProcessConvention.openTelemetry();
        }
    }

    @Test
    void conventionsOfTheApplicationNameSpansAndMeters() {
        runner.withUserConfiguration(OpenTelemetryNames.class).run(context -> {
            writeInASpan(context, EventEnvelope.ofJson("Imported", "1"));
            await().untilAsserted(() -> assertThat(processing(context)).hasSize(1));
            SpanData span = processing(context).get(0);
            assertThat(span.getName()).isEqualTo("process Imported");
            assertThat(span.getAttributes().asMap())
                    .containsEntry(AttributeKey.stringKey("messaging.destination.name"), "Imported")
                    .containsEntry(AttributeKey.stringKey("messaging.operation.type"), "process")
                    .containsKey(AttributeKey.stringKey("messaging.message.id"));
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> assertThat(meters.find("messaging.process.duration")
                            .tag("messaging.destination.name", "Imported")
                            .timer())
                    .isNotNull());
            assertThat(meters.find("messaging.client.operation.duration")
                            .tag("messaging.operation.type", "create")
                            .timer())
                    .isNotNull();
            assertThat(meters.find("outbox.process").timer()).isNull();
        });
    }
}
