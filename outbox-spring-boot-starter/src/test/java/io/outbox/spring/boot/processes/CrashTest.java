package io.outbox.spring.boot.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.KafkaMessages;
import io.outbox.spring.boot.RabbitMessages;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Consuming services as processes: two at the same messages, and one that is killed between its commit and its answer.
 */
class CrashTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int COPIES = 10;

    private final String name = "bills-" + UUID.randomUUID();

    @TempDir
    private Path directory;

    private static JdbcTemplate database(String url) {
        JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(url));
        database.execute(Billing.TABLE);
        return database;
    }

    private static List<String> items(JdbcTemplate database) {
        return database.queryForList("SELECT item FROM bill ORDER BY item", String.class);
    }

    private ChildJvm billing(String url, String broker, String... settings) {
        return ChildJvm.start(
                Billing.class,
                directory,
                Stream.concat(
                                Stream.of(
                                        "spring.datasource.url=" + url,
                                        broker + "=true",
                                        "topic=" + name,
                                        "queue=" + name,
                                        "spring.kafka.consumer.group-id=" + name,
                                        "spring.kafka.bootstrap-servers="
                                                + KafkaServer.shared().bootstrapServers(),
                                        "spring.rabbitmq.addresses="
                                                + RabbitServer.shared().uri()),
                                Stream.of(settings))
                        .toArray(String[]::new));
    }

    /** Each event comes ten times, on ten partitions, to four threads in two processes. */
    @Test
    void theSameMessagesOnSeveralThreadsAndProcessesOfKafkaHaveOneEffect() throws Exception {
        String url = PostgresServer.shared().newDatabase();
        JdbcTemplate database = database(url);
        KafkaMessages.createTopics(COPIES, name);
        List<ProducerRecord<String, String>> events = new ArrayList<>();
        for (int event = 0; event < 20; event++) {
            for (int copy = 0; copy < COPIES; copy++) {
                events.add(KafkaMessages.event(name, copy, "event " + event));
            }
        }
        try (KafkaMessages messages = new KafkaMessages();
                ChildJvm first = billing(url, "kafka", "spring.kafka.listener.concurrency=2");
                ChildJvm second = billing(url, "kafka", "spring.kafka.listener.concurrency=2")) {
            first.awaitLine(Billing.READY);
            second.awaitLine(Billing.READY);
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(
                            IllegalStateException.class) // there is no group before its first member
                    .until(() -> KafkaMessages.members(name).stream().allMatch(partitions -> partitions > 0)
                            && KafkaMessages.members(name).size() == 4);
            messages.sendAll(events);

            await().atMost(PATIENCE).until(() -> KafkaMessages.committed(name) == events.size());
        }
        assertThat(items(database)).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void theSameMessagesOnSeveralThreadsAndProcessesOfRabbitHaveOneEffect() throws Exception {
        String url = MySqlServer.shared().newDatabase();
        JdbcTemplate database = database(url);
        try (RabbitMessages messages = RabbitMessages.open(name);
                ChildJvm first = billing(url, "rabbit", "spring.rabbitmq.listener.simple.concurrency=2");
                ChildJvm second = billing(url, "rabbit", "spring.rabbitmq.listener.simple.concurrency=2")) {
            first.awaitLine(Billing.READY);
            second.awaitLine(Billing.READY);
            for (int event = 0; event < 20; event++) {
                String eventId = "event " + event;
                messages.send(
                        IntStream.range(0, COPIES).mapToObj(copy -> eventId).toArray(String[]::new));
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(items(database)).hasSize(20));
            await().atMost(PATIENCE).until(() -> messages.waiting() == 0);
        }
        assertThat(items(database)).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void aCrashBetweenTheCommitAndTheOffsetOfKafkaHasNoSecondEffect() throws Exception {
        String url = PostgresServer.shared().newDatabase();
        JdbcTemplate database = database(url);
        KafkaMessages.createTopics(1, name);
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.send(name, "book");
            try (ChildJvm doomed = billing(url, "kafka", "billing.stops-after-commit=true")) {
                doomed.awaitLine(Billing.COMMITTED);
            }
            assertThat(KafkaMessages.committed(name)).isZero();
            messages.send(name, "lamp");
            try (ChildJvm successor = billing(url, "kafka")) {
                await().atMost(PATIENCE).until(() -> KafkaMessages.committed(name) == 2);
                successor.requireAlive();
            }
        }
        assertThat(items(database)).containsExactly("book", "lamp");
    }

    @Test
    void aCrashBetweenTheCommitAndTheAcknowledgementToRabbitHasNoSecondEffect() throws Exception {
        String url = MySqlServer.shared().newDatabase();
        JdbcTemplate database = database(url);
        try (RabbitMessages messages = RabbitMessages.open(name)) {
            messages.send("book");
            try (ChildJvm doomed = billing(url, "rabbit", "billing.stops-after-commit=true")) {
                doomed.awaitLine(Billing.COMMITTED);
            }
            await().until(() -> messages.waiting() == 1);
            messages.send("lamp");
            try (ChildJvm successor = billing(url, "rabbit")) {
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(items(database)).containsExactly("book", "lamp"));
                successor.requireAlive();
            }
            await().until(() -> messages.waiting() == 0);
        }
    }
}
