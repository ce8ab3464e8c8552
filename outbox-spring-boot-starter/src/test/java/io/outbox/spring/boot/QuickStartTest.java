package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.Outbox;
import io.outbox.OutboxHeaders;
import io.outbox.spring.boot.quickstart.ExampleCreateDto;
import io.outbox.spring.boot.quickstart.ExampleService;
import io.outbox.spring.boot.quickstart.PublisherRunner;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** The quick start: an application with JPA that publishes by hand and by annotation, to real brokers. */
class QuickStartTest {

    private static final String TYPE = "create-example-event";

    private static ConfigurableApplicationContext start(String yaml, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--spring.config.location=classpath:quickstart/" + yaml);
        all.add("--spring.main.banner-mode=off");
        return SpringApplication.run(PublisherRunner.class, all.toArray(String[]::new));
    }

    private static void publishTwo(ConfigurableApplicationContext application) {
        application.getBean(ExampleService.class).save(new ExampleCreateDto("by hand"));
        application
                .getBean(io.outbox.spring.boot.quickstart.annotated.ExampleService.class)
                .save(new ExampleCreateDto("by annotation"));
    }

    @Test
    void publishesToKafka() throws Exception {
        KafkaServer server = KafkaServer.shared();
        try (KafkaTopic topic = KafkaTopic.create(server, "example-events");
                ConfigurableApplicationContext application =
                        start("kafka.yaml", "--spring.kafka.bootstrap-servers=" + server.bootstrapServers())) {
            publishTwo(application);

            List<ConsumerRecord<String, String>> records = topic.awaitRecords(2);
            assertThat(records)
                    .extracting(ConsumerRecord::value)
                    .containsExactlyInAnyOrder(
                            "{\"id\":1,\"name\":\"by hand\"}", "{\"id\":2,\"name\":\"by annotation\"}");
            assertThat(records).allSatisfy(message -> {
                assertThat(KafkaTopic.header(message, OutboxHeaders.EVENT_TYPE.getValue()))
                        .isEqualTo(TYPE);
                assertThat(KafkaTopic.header(message, OutboxHeaders.EVENT_ID.getValue()))
                        .isNotBlank();
            });
            assertEverythingIsDone(application);
        }
    }

    private static void assertEverythingIsDone(ConfigurableApplicationContext application) {
        Outbox outbox = application.getBean(Outbox.class);
        await().untilAsserted(() -> assertThat(outbox.counts()).isEmpty());
        assertThat(outbox.status().dead()).isZero();
    }

    @Test
    void publishesToRabbitMq() throws Exception {
        String uri = RabbitServer.shared().uri();
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.exchangeDeclare("example-events", "topic");
            String queue = channel.queueDeclare().getQueue();
            channel.queueBind(queue, "example-events", TYPE);
            try (ConfigurableApplicationContext application =
                    start("rabbit.yaml", "--spring.rabbitmq.addresses=" + uri)) {
                publishTwo(application);

                List<GetResponse> messages = new ArrayList<>();
                await().untilAsserted(() -> {
                    GetResponse message = channel.basicGet(queue, true);
                    if (message != null) {
                        messages.add(message);
                    }
                    assertThat(messages).hasSize(2);
                });
                assertThat(messages)
                        .extracting(message -> new String(message.getBody(), StandardCharsets.UTF_8))
                        .containsExactlyInAnyOrder(
                                "{\"id\":1,\"name\":\"by hand\"}", "{\"id\":2,\"name\":\"by annotation\"}");
                assertThat(messages)
                        .allSatisfy(message -> assertThat(
                                        message.getProps().getHeaders().get(OutboxHeaders.EVENT_TYPE.getValue()))
                                .hasToString(TYPE));
                assertEverythingIsDone(application);
            }
        }
    }

    @Test
    void startsWithEverySettingThatIsAvailable() {
        try (ConfigurableApplicationContext application =
                start("full.yaml", "--spring.kafka.bootstrap-servers=127.0.0.1:1")) {
            assertThat(application.getBean(OutboxPublisherProperties.class).events())
                    .containsOnlyKeys("order-created", "order-updated", "order-deleted");
        }
    }
}
