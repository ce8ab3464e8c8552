package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.OutboxPublisher;
import io.outbox.testservers.KafkaServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;

/** The publisher in front of a real Kafka: policies, isolation, metrics. */
class KafkaPublisherTest {

    private final String topic = "orders-" + UUID.randomUUID();

    private ApplicationContextRunner runner(KafkaServer server, String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + server.bootstrapServers(),
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.events.placed.topic=" + topic,
                        "outbox.publisher.defaults.fixed-delay=200ms")
                .withPropertyValues(properties);
    }

    private static void publish(BeanFactory context, String eventType, Object payload) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish(eventType, payload));
    }

    private static List<Map<String, Object>> rows(BeanFactory context, String eventType) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status, attempts, last_error FROM outbox_event WHERE event_type = ?", eventType);
    }

    @Test
    void sendsEventsOfEveryAggregateTypeWithTheirKey() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner(server).run(context -> {
                Deliveries.inTransaction(
                        context,
                        () -> context.getBean(OutboxPublisher.class)
                                .event("placed")
                                .aggregate("Order", "o-1")
                                .header("channel", "web")
                                .publish(Map.of("id", 1)));

                ConsumerRecord<String, String> message = reader.awaitRecords(1).get(0);
                assertThat(message.key()).isEqualTo("o-1");
                assertThat(message.value()).isEqualTo("{\"id\":1}");
                assertThat(KafkaTopic.header(message, "channel")).isEqualTo("web");
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoTemplates {

        @Bean
        KafkaTemplate<String, String> elsewhere() {
            return template("127.0.0.1:1");
        }

        @Bean
        KafkaTemplate<String, String> here() {
            return template(KafkaServer.shared().bootstrapServers());
        }

        private static KafkaTemplate<String, String> template(String servers) {
            return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(
                    Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers, ProducerConfig.CLIENT_ID_CONFIG, "shop")));
        }
    }

    @Test
    void takesTheSettingsOfTheTemplateThatIsNamed() throws Exception {
        KafkaServer server = KafkaServer.shared();
        ApplicationContextRunner runner = runner(server).withUserConfiguration(TwoTemplates.class);
        runner.run(context -> assertThat(context.getStartupFailure())
                .hasStackTraceContaining("outbox.publisher.sender.bean-name")
                .hasStackTraceContaining("2 KafkaTemplate beans"));
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner.withPropertyValues("outbox.publisher.sender.bean-name=here").run(context -> {
                publish(context, "placed", 1);
                reader.awaitRecords(1);
            });
        }
    }

    /** Quotas, the broker's logs and dashboards tell it from other producers. */
    @Test
    void theProducerHasTheNameOfTheApplicationAndMeters() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            runner(server, "spring.application.name=shop")
                    .withBean(MeterRegistry.class, () -> registry)
                    .run(context -> {
                        publish(context, "placed", 1);
                        reader.awaitRecords(1);
                        await().atMost(Duration.ofSeconds(20))
                                .untilAsserted(() -> assertThat(registry.get("kafka.producer.record.send.total")
                                                .tag("client.id", "shop-outbox")
                                                .functionCounter()
                                                .count())
                                        .isEqualTo(1));
                    });
            assertThat(registry.find("kafka.producer.record.send.total").functionCounters())
                    .as("they end with the producer")
                    .isEmpty();
        }
    }

    /** A type whose topic does not exist keeps its worker waiting for it, all the time. */
    @Test
    void delaysNoOtherTypeWhenOneIsBlocked() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner(
                            server,
                            "outbox.dispatcher.drain-timeout-ms=100",
                            "outbox.publisher.events.blocked.topic=missing-" + topic)
                    .run(context -> {
                        for (int i = 0; i < 100; i++) {
                            publish(context, "blocked", i);
                        }
                        long start = System.nanoTime();
                        for (int i = 0; i < 100; i++) {
                            publish(context, "placed", i);
                        }
                        assertThat(reader.awaitRecords(100))
                                .extracting(ConsumerRecord::value)
                                .containsExactlyElementsOf(IntStream.range(0, 100)
                                        .mapToObj(String::valueOf)
                                        .toList());
                        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(15));
                        assertThat(rows(context, "blocked"))
                                .hasSize(100)
                                .allMatch(row -> !row.get("STATUS").equals(1));
                    });
        }
    }

    @Test
    void triesAsOftenAsTheTypeSaysAndGivesUp() {
        runner(
                        KafkaServer.shared(),
                        "spring.kafka.producer.properties.max.block.ms=50",
                        "outbox.publisher.defaults.backoff.delay=20ms",
                        "outbox.publisher.events.placed.max-retries=2",
                        "outbox.publisher.events.once.topic=once-" + topic,
                        "outbox.publisher.events.once.max-retries=0")
                .run(context -> {
                    publish(context, "placed", 1);
                    publish(context, "once", 2);
                    await().untilAsserted(() -> {
                        assertThat(rows(context, "placed")).singleElement().satisfies(row -> {
                            assertThat(row.get("STATUS")).hasToString("3");
                            assertThat(row.get("ATTEMPTS")).hasToString("3");
                            assertThat((String) row.get("LAST_ERROR")).contains(topic);
                        });
                        assertThat(rows(context, "once"))
                                .singleElement()
                                .satisfies(
                                        row -> assertThat(row.get("ATTEMPTS")).hasToString("1"));
                    });
                });
    }

    @Test
    void waitsForTheInitialDelay() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner(server, "outbox.publisher.events.placed.initial-delay=1500ms")
                    .run(context -> {
                        long start = System.nanoTime();
                        publish(context, "placed", 1);
                        reader.awaitRecords(1);
                        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(500));
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.kafka.producer.transaction-id-prefix",
                "spring.kafka.producer.properties.transactional.id"
            })
    void refusesATemplateThatSendsInTransactions(String setting) {
        runner(KafkaServer.shared(), setting + "=tx-")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.publisher.sender.bean-name")
                        .hasStackTraceContaining("sends in Kafka transactions"));
    }

    @Test
    void takesOverTheEventsOfADeadNodeWithoutCountingAttempts() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner(
                            server,
                            "outbox.publisher.sender.emergency-timeout=1s",
                            "outbox.publisher.stuck-recovery.max-batch-processing-time=2s",
                            "outbox.publisher.stuck-recovery.batch-size=10",
                            "outbox.publisher.stuck-recovery.initial-delay=0s",
                            "outbox.publisher.stuck-recovery.fixed-delay=200ms")
                    .run(context -> {
                        new JdbcTemplate(context.getBean(DataSource.class))
                                .update(
                                        "INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, status,"
                                                + " attempts, available_at, created_at, locked_by, locked_at) VALUES ('stuck',"
                                                + " 'placed', '__GLOBAL__', '1', 0, 0, TIMESTAMP '2020-01-01 00:00:00',"
                                                + " TIMESTAMP '2020-01-01 00:00:00', 'a dead node',"
                                                + " TIMESTAMP '2020-01-01 00:00:00')");
                        assertThat(reader.awaitRecords(1))
                                .extracting(ConsumerRecord::value)
                                .containsExactly("1");
                        await().untilAsserted(() -> {
                            assertThat(rows(context, "placed")).singleElement().satisfies(row -> {
                                assertThat(row.get("STATUS")).hasToString("1");
                                assertThat(row.get("ATTEMPTS")).hasToString("0");
                            });
                            assertThat(context.getBean(MeterRegistry.class)
                                            .get("outbox.events.by.type.rate")
                                            .tag("type", "recovered")
                                            .counter()
                                            .count())
                                    .isEqualTo(1);
                        });
                    });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Prometheus {
        @Bean
        PrometheusMeterRegistry prometheus() {
            return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        }
    }

    @Test
    void countsEventsByTheNamesThatDashboardsKnow() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic reader = KafkaTopic.create(server, topic)) {
            runner(
                            server,
                            "spring.kafka.producer.properties.max.block.ms=50",
                            "outbox.publisher.events.lost.topic=lost-" + topic,
                            "outbox.publisher.events.lost.max-retries=0",
                            "outbox.publisher.events.later.topic=" + topic,
                            "outbox.publisher.events.later.initial-delay=1h",
                            "outbox.publisher.clean-up.ttl=1ms",
                            "outbox.publisher.clean-up.fixed-delay=1s",
                            "outbox.publisher.clean-up.initial-delay=0s",
                            "outbox.publisher.metrics.gauge.enabled=true",
                            "outbox.publisher.metrics.gauge.cache.ttls=0s,0s,0s")
                    .withUserConfiguration(Prometheus.class)
                    .run(context -> {
                        publish(context, "placed", 1);
                        publish(context, "lost", 2);
                        publish(context, "later", 3);
                        reader.awaitRecords(1);
                        PrometheusMeterRegistry meters = context.getBean(PrometheusMeterRegistry.class);
                        await().untilAsserted(() -> assertThat(meters.scrape().lines())
                                .contains(
                                        "outbox_events 1.0",
                                        "outbox_events_by_status{status=\"pending\"} 1.0",
                                        "outbox_events_by_status{status=\"in_process\"} 0.0",
                                        "outbox_events_by_event_type_and_status{event_type=\"later\",status=\"pending\"} 1.0",
                                        "outbox_events_by_event_type_and_status{event_type=\"later\",status=\"in_process\"} 0.0",
                                        "outbox_events_by_event_type_and_status{event_type=\"placed\",status=\"pending\"} 0.0",
                                        "outbox_events_rate_total{event_type=\"placed\",status=\"processed\"} 1.0",
                                        "outbox_events_rate_total{event_type=\"lost\",status=\"failed\"} 1.0",
                                        "outbox_events_by_type_rate_total{type=\"cleaned\"} 1.0",
                                        "outbox_events_by_type_rate_total{type=\"recovered\"} 0.0"));
                        assertThat(rows(context, "placed")).isEmpty();
                        assertThat(rows(context, "lost"))
                                .as("clean-up leaves what was not delivered")
                                .hasSize(1);
                    });
        }
    }
}
