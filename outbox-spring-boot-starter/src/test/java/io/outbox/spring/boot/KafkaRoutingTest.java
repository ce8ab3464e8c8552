package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.OutboxWriter;
import io.outbox.UnrecoverableException;
import io.outbox.kafka.KafkaRecordCustomizer;
import io.outbox.testservers.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Where events go in a real Kafka, by settings, by a router, and whichever way they were written. */
class KafkaRoutingTest {

    private static final KafkaServer SERVER = KafkaServer.shared();

    private final String prefix = "routed-" + UUID.randomUUID();

    private ApplicationContextRunner runner(Class<?>... configurations) {
        return TestApplication.runner(configurations)
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + SERVER.bootstrapServers(),
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.events.placed.topic=" + prefix + "-#{headers['region']}");
    }

    private KafkaTopic topic(String region) throws Exception {
        return KafkaTopic.create(SERVER, prefix + "-" + region);
    }

    private static List<Map<String, Object>> rows(BeanFactory context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status, attempts, last_error FROM outbox_event");
    }

    private static OutboxPublisher.Draft draft(BeanFactory context, String region) {
        return context.getBean(OutboxPublisher.class).event("placed").header("region", region);
    }

    @Outboxed(type = "placed", headers = "region: #{region}")
    record Placed(String region) {}

    static class Shop {
        @Transactional
        @OutboxPublish(eventType = "placed", headers = "region: #{#payload.region}")
        public Placed place(String region) {
            return new Placed(region);
        }
    }

    @Test
    void everyWayOfWritingHasTheSameRoute() throws Exception {
        try (KafkaTopic eu = topic("eu");
                KafkaTopic us = topic("us")) {
            runner(Shop.class).run(context -> {
                for (String region : List.of("eu", "us")) {
                    Deliveries.inTransaction(context, () -> {
                        draft(context, region).publish(new Placed("by draft"));
                        context.getBean(OutboxWriter.class)
                                .write(EventEnvelope.builder("placed")
                                        .header("region", region)
                                        .payloadJson("{\"region\":\"by writer\"}")
                                        .build());
                        ((ApplicationContext) context).publishEvent(new Placed(region));
                    });
                    context.getBean(Shop.class).place(region);
                }
                for (KafkaTopic topic : List.of(eu, us)) {
                    assertThat(topic.awaitRecords(4))
                            .extracting(ConsumerRecord::value)
                            .contains("{\"region\":\"by draft\"}", "{\"region\":\"by writer\"}")
                            .hasSize(4);
                }
            });
        }
    }

    @Test
    void everyPartOfARecordCanBeSet() throws Exception {
        Instant time = Instant.parse("2026-03-04T05:06:07.123Z");
        try (KafkaTopic topic = topic("eu")) {
            runner().withPropertyValues(
                            "outbox.publisher.events.placed.key=#{payload.customer.id}",
                            "outbox.publisher.events.placed.partition=0",
                            "outbox.publisher.events.placed.timestamp=" + time,
                            "outbox.publisher.events.placed.headers.kind=order",
                            "outbox.publisher.events.placed.headers[X-Place]=#{headers['region'].toUpperCase()}")
                    .run(context -> {
                        Deliveries.inTransaction(
                                context,
                                () -> draft(context, "eu")
                                        .aggregate("Order", "o-1")
                                        .publish(Map.of("customer", Map.of("id", 42))));

                        ConsumerRecord<String, String> message =
                                topic.awaitRecords(1).get(0);
                        assertThat(message.key()).isEqualTo("42");
                        assertThat(message.timestamp()).isEqualTo(time.toEpochMilli());
                        assertThat(KafkaTopic.header(message, "kind")).isEqualTo("order");
                        assertThat(KafkaTopic.header(message, "X-Place")).isEqualTo("EU");
                        assertThat(KafkaTopic.header(message, "outbox_aggregate_id"))
                                .isEqualTo("o-1");
                    });
        }
    }

    @Test
    void aDraftHasAKeyOfItsOwnAndATombstoneNoValue() throws Exception {
        try (KafkaTopic topic = topic("eu")) {
            runner().run(context -> {
                Deliveries.inTransaction(context, () -> {
                    draft(context, "eu").aggregate("Order", "o-1").key("c-1").publish("{}");
                    draft(context, "eu").aggregate("Order", "o-1").publishTombstone();
                });

                assertThat(topic.awaitRecords(2))
                        .extracting(ConsumerRecord::key, ConsumerRecord::value)
                        .containsExactlyInAnyOrder(tuple("c-1", "{}"), tuple("o-1", null));
            });
        }
    }

    @Test
    void anEventWithoutARouteRollsItsTransactionBack() {
        runner().run(context -> {
            assertThatThrownBy(() -> Deliveries.inTransaction(
                            context,
                            () -> context.getBean(OutboxPublisher.class).publish("placed", "{}")))
                    .isInstanceOf(UnrecoverableException.class)
                    .hasMessageContaining("outbox.publisher.events.placed.topic");
            assertThatThrownBy(() -> Deliveries.write(context, "placed", "{}"))
                    .isInstanceOf(UnrecoverableException.class);
            assertThat(rows(context)).isEmpty();
        });
    }

    /** As an event that was written by an application with other settings. */
    @Test
    void anEventWhoseRouteCannotBeFoundAnyMoreGoesDeadAtOnceAndHoldsUpNoOther() throws Exception {
        try (KafkaTopic topic = topic("eu")) {
            runner().run(context -> {
                Deliveries.inTransaction(context, () -> {
                    draft(context, "eu").delay(Duration.ofSeconds(1)).publish("lost");
                    new JdbcTemplate(context.getBean(DataSource.class))
                            .update("UPDATE outbox_event SET headers = NULL");
                    draft(context, "eu").publish("sound");
                });

                topic.awaitRecords(1);
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(rows(context)).anySatisfy(row -> {
                            assertThat(row.get("STATUS")).hasToString("3");
                            assertThat(row.get("ATTEMPTS")).hasToString("0");
                            assertThat((String) row.get("LAST_ERROR"))
                                    .contains("has no route", "outbox.publisher.events.placed.topic");
                        }));
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class RouterAndCustomizers {

        @Bean
        OutboxRouter router(@Value("${vip.topic}") String topic) {
            return event -> event.headers().containsKey("vip")
                    ? OutboxRoute.builder().topic(topic).key("vip").build()
                    : OutboxRoute.open();
        }

        @Bean
        @Order(2)
        KafkaRecordCustomizer second() {
            return (outgoing, event) -> {
                outgoing.headers().add("order", "second".getBytes(StandardCharsets.UTF_8));
                return outgoing;
            };
        }

        @Bean
        @Order(1)
        KafkaRecordCustomizer first() {
            return (outgoing, event) -> {
                ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(
                        outgoing.topic(), null, outgoing.key(), outgoing.value(), outgoing.headers());
                copy.headers().add("order", "first".getBytes(StandardCharsets.UTF_8));
                return copy;
            };
        }
    }

    @Test
    void aRouterOverridesTheSettingsAndCustomizersComeInTheirOrder() throws Exception {
        try (KafkaTopic eu = topic("eu");
                KafkaTopic vip = topic("vip")) {
            runner(RouterAndCustomizers.class)
                    .withPropertyValues("vip.topic=" + prefix + "-vip")
                    .run(context -> {
                        Deliveries.inTransaction(context, () -> {
                            draft(context, "eu").key("k").publish("{}");
                            draft(context, "eu").key("k").header("vip", "1").publish("{}");
                        });

                        assertThat(eu.awaitRecords(1))
                                .extracting(ConsumerRecord::key)
                                .containsExactly("k");
                        ConsumerRecord<String, String> important =
                                vip.awaitRecords(1).get(0);
                        assertThat(important.key()).isEqualTo("vip");
                        assertThat(important.headers().headers("order"))
                                .extracting(header -> new String(header.value(), StandardCharsets.UTF_8))
                                .containsExactly("first", "second");
                    });
        }
    }

    @Test
    void typesWithoutATopicGoToTheDefaultTopic() throws Exception {
        try (KafkaTopic topic = topic("all")) {
            runner().withPropertyValues(
                            "outbox.publisher.defaults.topic=" + prefix + "-all",
                            "outbox.publisher.events.paid.batch-size=10")
                    .run(context -> {
                        Deliveries.inTransaction(
                                context,
                                () -> context.getBean(OutboxPublisher.class).publish("paid", "{}"));
                        assertThat(topic.awaitRecords(1)).hasSize(1);
                    });
        }
    }
}
