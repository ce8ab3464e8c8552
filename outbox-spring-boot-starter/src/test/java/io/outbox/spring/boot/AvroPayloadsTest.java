package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.apicurio.registry.serde.avro.AvroKafkaDeserializer;
import io.apicurio.registry.serde.avro.AvroKafkaSerializer;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.SchemaRegistry.Mood;
import io.outbox.testservers.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** Payloads in Avro, made and read by the serializers of a schema registry. */
class AvroPayloadsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int DONE = 1;
    private static final String SERIALIZER = "outbox.publisher.events.placed.serializer";
    private static final Schema ORDER = SchemaBuilder.record("Order")
            .fields()
            .requiredInt("id")
            .requiredString("item")
            .endRecord();
    private static final Schema LATER_ORDER = SchemaBuilder.record("Order")
            .fields()
            .requiredInt("id")
            .requiredString("item")
            .optionalString("channel")
            .endRecord();

    private final String topic = "avro-" + UUID.randomUUID();
    private final List<ConsumerRecord<String, GenericRecord>> records = new ArrayList<>();
    private SchemaRegistry registry;

    @BeforeEach
    void open() throws Exception {
        registry = new SchemaRegistry();
        KafkaTopic.create(KafkaServer.shared(), topic).close();
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private ApplicationContextRunner runner(String... properties) {
        return TestApplication.runner()
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "outbox.publisher.sender.type=kafka",
                        "outbox.publisher.events.placed.topic=" + topic,
                        SERIALIZER + "=" + AvroKafkaSerializer.class.getName(),
                        SERIALIZER + "-properties[apicurio.registry.url]=" + registry.url(),
                        SERIALIZER + "-properties[apicurio.registry.auto-register]=true",
                        SERIALIZER + "-properties[apicurio.registry.retry-count]=0")
                .withPropertyValues(properties);
    }

    private static GenericRecord order(int id) {
        return new GenericRecordBuilder(ORDER).set("id", id).set("item", "book").build();
    }

    private static GenericRecord laterOrder(int id) {
        return new GenericRecordBuilder(LATER_ORDER)
                .set("id", id)
                .set("item", "book")
                .set("channel", "web")
                .build();
    }

    private static void publish(BeanFactory context, Object payload) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish("placed", payload));
    }

    private static List<Integer> statuses(BeanFactory context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT status FROM outbox_event", Integer.class);
    }

    private List<ConsumerRecord<String, GenericRecord>> awaitOrders(Integer... ids) {
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                KafkaServer.shared().bootstrapServers(),
                "group.id",
                topic,
                "auto.offset.reset",
                "earliest",
                "apicurio.registry.url",
                registry.url());
        AvroKafkaDeserializer<GenericRecord> values = new AvroKafkaDeserializer<>();
        values.configure(config, false);
        try (KafkaConsumer<String, GenericRecord> consumer =
                new KafkaConsumer<>(config, new StringDeserializer(), values)) {
            consumer.subscribe(List.of(topic));
            await().atMost(PATIENCE).untilAsserted(() -> {
                consumer.poll(Duration.ofMillis(50)).forEach(records::add);
                assertThat(records)
                        .extracting(received -> received.value().get("id"))
                        .containsExactly((Object[]) ids);
            });
        }
        return records;
    }

    @Test
    void anObjectArrivesAsItWasWithTheSchemaThatItWasWrittenWith() {
        runner().run(context -> {
            publish(context, order(1));
            publish(context, List.of(order(2), laterOrder(3)));

            List<ConsumerRecord<String, GenericRecord>> received = awaitOrders(1, 2, 3);

            assertThat(received.get(1).value().get("item")).hasToString("book");
            assertThat(received.get(1).value().getSchema()).isEqualTo(ORDER);
            assertThat(received.get(2).value().get("channel")).hasToString("web");
            assertThat(received.get(0).headers().lastHeader("outbox_event_type").value())
                    .asString()
                    .isEqualTo("placed");
            assertThat(registry.schemas()).hasSize(2);
        });
    }

    @Test
    void theIdOfTheSchemaMayBeInAHeader() {
        runner(SERIALIZER + "-properties[apicurio.registry.headers.enabled]=true")
                .run(context -> {
                    publish(context, order(4));

                    assertThat(awaitOrders(4).get(0).headers())
                            .extracting(Header::key)
                            .contains("apicurio.value.globalId", "apicurio.value.encoding");
                });
    }

    /** A stored event needs no registry any more, and neither does a schema that the serializer knows. */
    @Test
    void aRegistryThatIsOutOfOrderFailsTransactionsWithNewSchemasAndNothingElse() {
        runner("outbox.auto-startup=false").run(context -> {
            publish(context, order(5));
            registry.become(Mood.REFUSING);

            publish(context, order(6));
            assertThatThrownBy(() -> publish(context, laterOrder(7))).hasStackTraceContaining("out of order");

            context.getBean(Outbox.class).start();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(statuses(context)).containsExactly(DONE, DONE));
            registry.become(Mood.ANSWERING);
            publish(context, laterOrder(7));
            awaitOrders(5, 6, 7);
        });
    }

    /** Waits as long as the limit is. */
    @Tag("soak")
    @Test
    void aRegistryThatDoesNotAnswerFailsTheTransactionAfterTenSecondsAndLaterOnesWork() {
        runner().run(context -> {
            registry.become(Mood.SILENT);
            assertThatThrownBy(() -> publish(context, order(8)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(AvroKafkaSerializer.class.getName())
                    .hasMessageContaining("event type 'placed'")
                    .hasMessageContaining("did not answer within PT10S");
            assertThat(statuses(context)).isEmpty();

            registry.become(Mood.ANSWERING);
            publish(context, order(9));
            awaitOrders(9);
        });
    }
}
