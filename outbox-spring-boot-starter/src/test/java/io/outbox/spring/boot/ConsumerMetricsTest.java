package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.OutboxIdempotentConsumer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;

/** What the idempotent consumer counts. */
class ConsumerMetricsTest {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final ApplicationContextRunner runner = ConsumerApplication.runner()
            .withConfiguration(AutoConfigurations.of(OutboxMicrometerAutoConfiguration.class))
            .withBean(MeterRegistry.class, () -> registry);

    private static Map<String, Object> message() {
        return Map.of("outbox_event_id", UUID.randomUUID());
    }

    private void assertCounted(String type, int count) {
        assertThat(registry.scrape()).contains("consumed_outbox_events_total{type=\"" + type + "\"} " + count + ".0");
    }

    @Test
    void hasACounterForEachFateOfAnEvent() {
        runner.withBean(CacheManager.class, ConcurrentMapCacheManager::new)
                .withPropertyValues(
                        "outbox.consumer.cache.cache-name=consumed",
                        "outbox.consumer.clean-up.initial-delay=0s",
                        "outbox.consumer.clean-up.fixed-delay=10ms",
                        "outbox.consumer.clean-up.ttl=1h")
                .run(context -> {
                    OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
                    List<Map<String, Object>> batch = List.of(message(), message(), message());
                    consumer.consume(batch, messages -> {});
                    consumer.consume(batch.get(0), () -> {});
                    assertThatThrownBy(() -> consumer.consume(List.of(message(), message()), messages -> {
                                throw new IllegalStateException("of a batch all");
                            }))
                            .hasMessage("of a batch all");
                    ConsumerApplication.jdbc(context)
                            .update("UPDATE outbox_consumed_event SET consumed_at = DATEADD('HOUR', -2, consumed_at)");

                    await().untilAsserted(() -> assertCounted("cleaned", 3));
                    assertCounted("consumed", 3);
                    assertCounted("duplicated", 1);
                    assertCounted("failed", 2);
                    assertCounted("cache-hit", 1);
                    assertCounted("cache-miss", 5);
                });
    }

    @Test
    void givesWayToMetricsOfTheApplication() {
        AtomicLong consumed = new AtomicLong();
        runner.withBean(InboxMetrics.class, () -> new InboxMetrics() {
                    @Override
                    public void incrementConsumed(long count) {
                        consumed.addAndGet(count);
                    }
                })
                .run(context -> {
                    context.getBean(OutboxIdempotentConsumer.class).consume(message(), () -> {});
                    assertThat(consumed).hasValue(1);
                    assertThat(registry.scrape()).doesNotContain("consumed_outbox_events");
                });
    }
}
