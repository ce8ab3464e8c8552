package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.topics.OrderPacked;
import io.outbox.spring.boot.topics.OrderShipped;
import io.outbox.testservers.KafkaServer;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Topics and keys that event classes have themselves, beside those of the settings. */
class OutboxedTopicsTest {

    private static final KafkaServer SERVER = KafkaServer.shared();

    private final String topic = "shipped-" + UUID.randomUUID();

    @AutoConfigurationPackage(basePackageClasses = OrderShipped.class)
    static class Shop {}

    private ApplicationContextRunner runner() {
        return TestApplication.runner(Shop.class)
                .withPropertyValues(
                        "shipped.topic=" + topic,
                        "spring.kafka.bootstrap-servers=" + SERVER.bootstrapServers(),
                        "outbox.publisher.events.[Order.packed].topic=" + topic + "-eu");
    }

    @Test
    void aClassNamesTheTopicAndTheKeyOfItsEventsUnlessTheSettingsDo() throws Exception {
        try (KafkaTopic reader = KafkaTopic.create(SERVER, topic + "-eu")) {
            runner().withPropertyValues("outbox.publisher.sender.type=kafka").run(context -> {
                OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                Deliveries.inTransaction(context, () -> {
                    publisher.publish(new OrderShipped("eu"));
                    publisher.publish(new OrderPacked(7));
                });
                assertThat(reader.awaitRecords(2))
                        .extracting(ConsumerRecord::value, ConsumerRecord::key)
                        .containsExactlyInAnyOrder(tuple("{\"region\":\"eu\"}", "eu"), tuple("{\"id\":7}", null));
            });
        }
    }
}
