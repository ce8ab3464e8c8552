package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class KafkaServerTest {

    private final KafkaServer server = KafkaServer.start();

    @AfterAll
    void close() {
        Path directory = server.directory();
        server.close();
        assertThat(Files.exists(directory)).as("data left behind").isFalse();
    }

    @Test
    void acknowledgedRecordsSurviveAKill() throws Exception {
        String topic = newTopic();
        try (Producer<String, String> producer = producer()) {
            producer.send(new ProducerRecord<>(topic, "before")).get(20, TimeUnit.SECONDS);

            int port = server.port();
            server.kill();
            server.restart();

            assertThat(server.port()).isEqualTo(port);
            producer.send(new ProducerRecord<>(topic, "after")).get(20, TimeUnit.SECONDS);
        }
        assertThat(read(topic, 2)).containsExactly("before", "after");
    }

    @Test
    void aPausedBrokerIsSilentAndAnswersAfterwards() throws Exception {
        String topic = newTopic();
        try (Producer<String, String> producer = producer()) {
            producer.send(new ProducerRecord<>(topic, "1")).get(20, TimeUnit.SECONDS);

            server.pause();
            Future<RecordMetadata> silent = producer.send(new ProducerRecord<>(topic, "2"));
            assertThatThrownBy(() -> silent.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            server.resume();

            silent.get(20, TimeUnit.SECONDS);
        }
        assertThat(read(topic, 2)).containsExactly("1", "2");
    }

    @Test
    void clientsComeByTheProxyThatIsAdvertised() throws Exception {
        try (KafkaServer behindProxy = KafkaServer.start();
                TcpProxy proxy = TcpProxy.start(behindProxy.port())) {
            behindProxy.advertise(proxy);
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", behindProxy.bootstrapServers()))) {
                assertThat(admin.describeCluster().nodes().get(20, TimeUnit.SECONDS))
                        .singleElement()
                        .satisfies(node -> assertThat(node.port()).isEqualTo(proxy.port()));
            }
        }
    }

    @Test
    void theSharedBrokerIsStartedOnce() {
        KafkaServer shared = KafkaServer.shared();

        assertThat(KafkaServer.shared()).isSameAs(shared);
        assertThat(shared).isNotSameAs(server);
    }

    private String newTopic() throws Exception {
        String topic = "topic-" + UUID.randomUUID();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get(20, TimeUnit.SECONDS);
        }
        return topic;
    }

    private Producer<String, String> producer() {
        return new KafkaProducer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()), new StringSerializer(), new StringSerializer());
    }

    private List<String> read(String topic, int count) {
        List<String> values = new ArrayList<>();
        try (Consumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", server.bootstrapServers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (values.size() < count) {
                consumer.poll(Duration.ofMillis(100)).forEach(message -> values.add(message.value()));
            }
        }
        return values;
    }
}
