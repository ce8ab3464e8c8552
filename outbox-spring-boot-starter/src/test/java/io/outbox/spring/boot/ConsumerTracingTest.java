package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.tracing.Tracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.outbox.inbox.OutboxIdempotentConsumer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The operation of a consumer goes on with the trace that its message brings. */
class ConsumerTracingTest {

    private static final String FIRST = "0af7651916cd43dd8448eb211c80319c";
    private static final String SECOND = "1bf7651916cd43dd8448eb211c80319d";

    private final ApplicationContextRunner runner = TestApplication.runner(Traces.class)
            .withPropertyValues(
                    "management.tracing.sampling.probability=1",
                    "management.tracing.enabled=true",
                    "outbox.consumer.enabled=true",
                    "outbox.consumer.name=billing");

    @Configuration(proxyBeanMethods = false)
    static class Traces {
        @Bean
        InMemorySpanExporter spans() {
            return InMemorySpanExporter.create();
        }

        @Bean
        SimpleSpanProcessor processor(InMemorySpanExporter spans) {
            return (SimpleSpanProcessor) SimpleSpanProcessor.create(spans);
        }
    }

    private static Map<String, Object> message(String traceId) {
        Map<String, Object> headers = new HashMap<>();
        headers.put("outbox_event_id", UUID.randomUUID());
        headers.put("outbox_event_type", "Placed");
        headers.put("traceparent", ("00-" + traceId + "-b7ad6b7169203331-01").getBytes(StandardCharsets.UTF_8));
        return headers;
    }

    private static List<SpanData> spans(ApplicationContext context) {
        return context.getBean(InMemorySpanExporter.class).getFinishedSpanItems();
    }

    private static String currentTrace(ApplicationContext context) {
        return context.getBean(Tracer.class).currentSpan().context().traceId();
    }

    @Test
    void continuesTheTraceOfTheMessage() {
        runner.run(context -> {
            Map<String, Object> message = message(FIRST);
            OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
            assertThat(consumer.consumeReturning(message, () -> currentTrace(context)))
                    .contains(FIRST);
            consumer.consume(message, () -> {});

            assertThat(spans(context)).singleElement().satisfies(span -> {
                assertThat(span.getName()).isEqualTo("Placed consume");
                assertThat(span.getParentSpanId()).isEqualTo("b7ad6b7169203331");
                assertThat(span.getAttributes().get(AttributeKey.stringKey("outbox.consumer")))
                        .isEqualTo("billing");
            });
        });
    }

    @Test
    void hasASpanInTheTraceOfEachMessageOfABatch() {
        runner.run(context -> {
            context.getBean(OutboxIdempotentConsumer.class)
                    .consume(
                            List.of(message(FIRST), message(SECOND)),
                            messages -> assertThat(currentTrace(context)).isEqualTo(FIRST));
            assertThat(spans(context)).extracting(SpanData::getTraceId).containsExactlyInAnyOrder(FIRST, SECOND);
        });
    }

    @Test
    void tellsOfAFailure() {
        runner.run(context -> {
            assertThatThrownBy(() -> context.getBean(OutboxIdempotentConsumer.class)
                            .consume(message(FIRST), () -> {
                                throw new IllegalStateException("no stock");
                            }))
                    .hasMessage("no stock");
            assertThat(spans(context))
                    .singleElement()
                    .satisfies(
                            span -> assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR));
        });
    }

    @Test
    void goesOnWhereAContainerHasContinuedTheTrace() {
        runner.run(context -> {
            ReceiverContext<Map<String, String>> received = new ReceiverContext<>(Map::get);
            received.setCarrier(Map.of("traceparent", "00-" + SECOND + "-b7ad6b7169203331-01"));
            Observation.createNotStarted("container", () -> received, context.getBean(ObservationRegistry.class))
                    .observe(() ->
                            context.getBean(OutboxIdempotentConsumer.class).consume(message(SECOND), () -> {}));
            assertThat(spans(context))
                    .hasSize(2)
                    .extracting(SpanData::getTraceId)
                    .containsOnly(SECOND);
            assertThat(spans(context).get(0).getParentSpanId())
                    .isEqualTo(spans(context).get(1).getSpanId());
        });
    }

    @Test
    void observesEventsThatHaveOnlyAnId() {
        runner.run(context -> {
            OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
            consumer.consumeById("4711", () -> {});
            consumer.consume(4712, Object::toString, () -> {});
            assertThat(spans(context)).extracting(SpanData::getName).containsOnly("event consume");
        });
    }
}
