package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.consumerquickstart.ConsumerRunner;
import io.outbox.spring.boot.quickstart.ExampleDto;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The quick start's other side: listeners that get everything twice from real brokers. */
@ExtendWith(OutputCaptureExtension.class)
class ConsumerQuickStartTest {

    /** Starts the application with one of its listeners or none, so that each test needs one broker. */
    private static ConfigurableApplicationContext start(String yaml, Map<String, Object> settings) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.config.location=classpath:quickstart/" + yaml,
                "--spring.main.banner-mode=off",
                "--spring.cache.type=simple",
                "--logging.level." + ConsumerRunner.class.getPackageName() + "=info",
                "--spring.kafka.listener.auto-startup=" + settings.containsKey("spring.kafka.bootstrap-servers"),
                "--spring.rabbitmq.listener.simple.auto-startup=" + settings.containsKey("spring.rabbitmq.addresses")));
        settings.forEach((key, value) -> arguments.add("--" + key + "=" + value));
        return SpringApplication.run(ConsumerRunner.class, arguments.toArray(String[]::new));
    }

    private static void awaitOperations(
            ConfigurableApplicationContext application, CapturedOutput output, String... payloads) {
        await().until(() -> operations(output).size() >= payloads.length);
        assertThat(operations(output)).containsExactly(payloads);
        assertThat(tables(application)).contains("OUTBOX_CONSUMED_EVENT").doesNotContain("OUTBOX_EVENT");
    }

    private static List<String> operations(CapturedOutput output) {
        return Pattern.compile("Some business operation with payload (.*)")
                .matcher(output)
                .results()
                .map(operation -> operation.group(1))
                .toList();
    }

    private static List<String> tables(ConfigurableApplicationContext application) {
        return application
                .getBean(JdbcTemplate.class)
                .queryForList("SELECT table_name FROM information_schema.tables", String.class);
    }

    /** A topic of its own would be another quick start, so the server is. */
    @Test
    void consumesFromKafka(CapturedOutput output) throws Exception {
        String first = UUID.randomUUID().toString();
        String last = UUID.randomUUID().toString();
        try (KafkaServer server = KafkaServer.start("auto.create.topics.enable=true")) {
            send(
                    server,
                    KafkaMessages.event("example-events", first, "create-example-event", json(1)),
                    KafkaMessages.event("example-events", first, "create-example-event", json(1)),
                    KafkaMessages.event("example-events", last, "create-example-event", json(2)));
            try (ConfigurableApplicationContext application = start(
                    "consumer.yaml",
                    Map.of(
                            "spring.kafka.bootstrap-servers",
                            server.bootstrapServers(),
                            "spring.kafka.consumer.auto-offset-reset",
                            "earliest",
                            "spring.kafka.consumer.value-deserializer",
                            "org.springframework.kafka.support.serializer.JsonDeserializer",
                            "spring.kafka.consumer.properties.spring.json.value.default.type",
                            ExampleDto.class.getName()))) {
                awaitOperations(application, output, dto(1), dto(2));
            }
        }
    }

    @SafeVarargs
    private static void send(KafkaServer server, ProducerRecord<String, String>... messages) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (ProducerRecord<String, String> message : messages) {
                producer.send(message).get();
            }
        }
    }

    private static String json(int id) {
        return "{\"id\":" + id + ",\"name\":\"twice\"}";
    }

    private static String dto(long id) {
        return new ExampleDto(id, "twice").toString();
    }

    @Test
    void consumesFromRabbitMq(CapturedOutput output) throws Exception {
        String first = UUID.randomUUID().toString();
        try (RabbitMessages messages = RabbitMessages.open("example-queue")) {
            messages.send(first, "create-example-event", json(1));
            messages.send(first, "create-example-event", json(1));
            messages.send(UUID.randomUUID().toString(), "create-example-event", json(2));
            try (ConfigurableApplicationContext application = start(
                    "consumer.yaml",
                    Map.of("spring.rabbitmq.addresses", RabbitServer.shared().uri()))) {
                awaitOperations(application, output, dto(1), dto(2));
            }
        }
    }

    @Test
    void startsWithEverySetting() {
        try (ConfigurableApplicationContext application = start("consumer-full.yaml", Map.of())) {
            OutboxConsumerProperties settings = application.getBean(OutboxConsumerProperties.class);
            assertThat(settings.cache()).isEqualTo(new OutboxConsumerProperties.Cache(true, "outbox:consumed"));
            assertThat(settings.cleanUp().enabled()).isTrue();
            assertThat(settings.cleanUp().fixedDelay()).hasMinutes(2);
            assertThat(tables(application)).contains("OUTBOX_CONSUMED_EVENT").doesNotContain("OUTBOX_EVENT");
        }
    }
}
