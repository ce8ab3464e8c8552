package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.OutboxPublisher;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.support.LogLines;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;

/** Payloads that serializers of Kafka make, and what records have around them. */
class KafkaPayloadsTest {

    private static final String SERIALIZER = "outbox.publisher.events.placed.serializer";

    private final String topic = "payloads-" + UUID.randomUUID();

    private ApplicationContextRunner runner(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.events.placed.topic=" + topic)
                .withPropertyValues(properties);
    }

    private static void publish(BeanFactory context, Object payload) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish("placed", payload));
    }

    record Order(int id) {}

    /** Needs a setting, knows one class, and tells about itself in a header, as those of schema registries do. */
    public static class OrderSerializer implements Serializer<Order> {

        private String registry;

        @Override
        public void configure(Map<String, ?> configs, boolean isKey) {
            registry = configs.get("registry.url") + (isKey ? "/keys" : "") + "@" + configs.get("bootstrap.servers");
        }

        @Override
        public byte[] serialize(String topic, Order order) {
            return serialize(topic, null, order);
        }

        @Override
        public byte[] serialize(String topic, Headers headers, Order order) {
            if (order.id() < 0) {
                throw new SerializationException("does not fit the schema");
            }
            headers.add("schema", (topic + "|" + registry).getBytes(StandardCharsets.UTF_8));
            return new byte[] {(byte) 'o', (byte) order.id()};
        }
    }

    @Test
    void aSerializerMakesThePayloadForTheTopicWhenItIsPublished() throws Exception {
        try (KafkaTopic reader = KafkaTopic.create(KafkaServer.shared(), topic)) {
            runner(
                            SERIALIZER + "=" + OrderSerializer.class.getName(),
                            SERIALIZER + "-properties[registry.url]=somewhere")
                    .run(context -> {
                        publish(context, new Order(65));

                        ConsumerRecord<String, String> message =
                                reader.awaitRecords(1).get(0);
                        assertThat(message.value()).isEqualTo("oA");
                        assertThat(KafkaTopic.header(message, "schema"))
                                .startsWith(topic + "|somewhere@")
                                .contains(KafkaServer.shared().bootstrapServers());

                        publish(context, "raw".getBytes(StandardCharsets.UTF_8));
                        assertThat(reader.awaitRecords(2).get(1).value()).isEqualTo("raw");
                    });
        }
    }

    /** Names the schema by ids and not by a text. */
    public static class SchemaSerializer implements Serializer<Order> {

        static final byte[] GUID = {1, -1, -128, 0, 42, 16, 127, -3, -4, -5, -6, 7, 8, 9, 10, 11, -12};
        static final byte[] ID = {0, 0, 0, 0, 0, 0, 0, 65};

        @Override
        public byte[] serialize(String topic, Order order) {
            return serialize(topic, null, order);
        }

        @Override
        public byte[] serialize(String topic, Headers headers, Order order) {
            headers.add("guid", GUID)
                    .add("id", ID)
                    .add("none", null)
                    .add("empty", new byte[0])
                    .add("kind", "Żółw".getBytes(StandardCharsets.UTF_8));
            return new byte[] {1};
        }
    }

    @Test
    void headersThatASerializerAddsArriveAsTheyAreAlsoIfTheyAreNoTexts() throws Exception {
        try (KafkaTopic reader = KafkaTopic.create(KafkaServer.shared(), topic)) {
            runner(SERIALIZER + "=" + SchemaSerializer.class.getName()).run(context -> {
                publish(context, new Order(1));

                Headers headers = reader.awaitRecords(1).get(0).headers();
                assertThat(headers.lastHeader("guid").value()).isEqualTo(SchemaSerializer.GUID);
                assertThat(headers.lastHeader("id").value()).isEqualTo(SchemaSerializer.ID);
                assertThat(headers.lastHeader("none").value()).isNull();
                assertThat(headers.lastHeader("empty").value()).isEmpty();
                assertThat(headers.lastHeader("kind").value()).isEqualTo("Żółw".getBytes(StandardCharsets.UTF_8));
                assertThat(headers)
                        .extracting(Header::key)
                        .contains("guid", "id", "none", "empty", "kind")
                        .noneMatch(name -> name.startsWith("outbox_bytes"));
            });
        }
    }

    /** Adds a header, as interceptors for tracing do. */
    public static class Stamp implements ProducerInterceptor<Object, Object> {

        private String name = "of-the-template";

        @Override
        public void configure(Map<String, ?> configs) {
            name = "of-the-configuration";
        }

        @Override
        public ProducerRecord<Object, Object> onSend(ProducerRecord<Object, Object> outgoing) {
            outgoing.headers().add(name, new byte[] {1});
            return outgoing;
        }

        @Override
        public void onAcknowledgement(RecordMetadata metadata, Exception exception) {
            // nothing to do
        }

        @Override
        public void close() {
            // nothing to do
        }
    }

    @Test
    void interceptorsOfTheConfigurationApplyAndThoseOfTheTemplateDoNot() throws Exception {
        KafkaTemplate<Object, Object> template = new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                KafkaServer.shared().bootstrapServers(),
                ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
                Stamp.class.getName())));
        template.setProducerInterceptor(new Stamp());
        try (KafkaTopic reader = KafkaTopic.create(KafkaServer.shared(), topic)) {
            runner().withBean(KafkaTemplate.class, () -> template).run(context -> {
                publish(context, "{}");

                assertThat(reader.awaitRecords(1).get(0).headers())
                        .extracting(Header::key)
                        .contains("of-the-configuration")
                        .doesNotContain("of-the-template");
            });
        }
    }

    @Test
    void aPayloadThatDoesNotFitRollsTheTransactionBack() {
        runner(SERIALIZER + "=mine").withBean("mine", OrderSerializer.class).run(context -> {
            assertThatThrownBy(() -> publish(context, new Order(-1)))
                    .isInstanceOf(SerializationException.class)
                    .hasMessage("does not fit the schema");
            assertThatThrownBy(() -> publish(context, "no order")).isInstanceOf(ClassCastException.class);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class)).queryForList("SELECT * FROM outbox_event"))
                    .isEmpty();
        });
    }

    @Test
    void refusesASerializerThatIsNone() {
        for (String wrong : new String[] {"nobody", "dataSource", "java.lang.String", "java.lang.Runnable"}) {
            runner(SERIALIZER + "=" + wrong)
                    .run(context -> assertThat(context.getStartupFailure())
                            .hasStackTraceContaining(SERIALIZER)
                            .hasStackTraceContaining(wrong));
        }
        runner(SERIALIZER + "=mine", SERIALIZER + "-properties.a=b")
                .withBean("mine", OrderSerializer.class)
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(SERIALIZER));
        runner(SERIALIZER + "-properties.a=b")
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(SERIALIZER));
    }

    private static KafkaTemplate<String, Order> template() {
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                KafkaServer.shared().bootstrapServers(),
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                OrderSerializer.class)));
    }

    @Test
    void saysThatTheSerializerOfTheTemplateIsNotUsed() {
        try (LogLines log = new LogLines()) {
            runner().withBean(KafkaTemplate.class, KafkaPayloadsTest::template)
                    .run(context -> assertThat(log.at(Level.WARNING))
                            .anyMatch(line -> line.contains("value.serializer")
                                    && line.contains(OrderSerializer.class.getName())
                                    && line.contains("outbox.publisher.events.<type>.serializer")));
        }
        try (LogLines log = new LogLines()) {
            runner().run(context ->
                    assertThat(log.at(Level.WARNING)).noneMatch(line -> line.contains("value.serializer")));
        }
    }

    @Test
    void headersHaveTheNamesThatTheyAreGivenOrAreLeftOut() throws Exception {
        try (KafkaTopic reader = KafkaTopic.create(KafkaServer.shared(), topic)) {
            runner(
                            "outbox.publisher.headers.event-id=x-id",
                            "outbox.publisher.headers.occurred-at=",
                            "outbox.publisher.cloud-events.enabled=true",
                            "spring.application.name=shop")
                    .run(context -> {
                        publish(context, "{}");

                        ConsumerRecord<String, String> message =
                                reader.awaitRecords(1).get(0);
                        assertThat(KafkaTopic.header(message, "x-id")).isEqualTo(KafkaTopic.header(message, "ce_id"));
                        assertThat(KafkaTopic.header(message, "ce_source")).isEqualTo("shop");
                        assertThat(KafkaTopic.header(message, "outbox_event_type"))
                                .isEqualTo("placed");
                        assertThat(message.headers().lastHeader("outbox_event_id"))
                                .isNull();
                        assertThat(message.headers().lastHeader("outbox_occurred_at"))
                                .isNull();
                    });
        }
    }

    @Test
    void aCloudEventNeedsASource() {
        runner("outbox.publisher.cloud-events.enabled=true")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.publisher.cloud-events.source")
                        .hasStackTraceContaining("spring.application.name"));
        runner("outbox.publisher.cloud-events.enabled=true", "outbox.publisher.cloud-events.source=no uri")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.publisher.cloud-events.source"));
        runner("outbox.publisher.cloud-events.source=shop")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.publisher.cloud-events.source"));
    }
}
