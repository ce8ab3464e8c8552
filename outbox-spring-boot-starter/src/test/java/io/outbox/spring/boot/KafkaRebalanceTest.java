package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.PostgresServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.kafka.annotation.KafkaListener;

/** A partition goes to another node while a message of it is being processed. */
class KafkaRebalanceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final List<String> CALLED = new CopyOnWriteArrayList<>();
    private static final CountDownLatch MAY_END = new CountDownLatch(1);

    private final String topic = "bills-" + UUID.randomUUID();
    private final String url = PostgresServer.shared().newDatabase();
    private final JdbcTemplate database = new JdbcTemplate(new DriverManagerDataSource(url));

    private ApplicationContextRunner node(String name) {
        return Bills.application(Listener.class)
                .withPropertyValues(
                        "node=" + name,
                        "topic=" + topic,
                        "spring.datasource.url=" + url,
                        "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers(),
                        "spring.kafka.consumer.group-id=" + topic,
                        "spring.kafka.consumer.auto-offset-reset=earliest",
                        "spring.kafka.consumer.properties.max.poll.interval.ms=2000");
    }

    static class Listener {

        private final Bills bills;
        private final String node;

        Listener(Bills bills, @Value("${node}") String node) {
            this.bills = bills;
            this.node = node;
        }

        @Idempotent
        @KafkaListener(topics = "${topic}")
        void on(String item) throws InterruptedException {
            CALLED.add(node);
            bills.bill(item);
            if (node.equals("slow")) {
                MAY_END.await();
            }
        }
    }

    /** The second node waits for the mark of the first, and skips the message when that has committed. */
    @Test
    void theNodeThatGetsThePartitionWaitsAndSkips() throws Exception {
        KafkaMessages.createTopics(1, topic);
        try (KafkaMessages messages = new KafkaMessages()) {
            messages.send(topic, "book");
            node("slow").run(slow -> {
                await().atMost(PATIENCE).until(() -> CALLED.contains("slow"));
                node("quick").run(quick -> {
                    await("the second node to wait for the mark")
                            .atMost(PATIENCE)
                            .until(this::somebodyWaitsForALock);
                    MAY_END.countDown();
                    await().atMost(PATIENCE).until(() -> KafkaMessages.committed(topic, topic) == 1);
                    assertThat(quick.getBean(Bills.class).items()).containsExactly("book");
                });
            });
        }
        assertThat(CALLED).containsExactly("slow");
    }

    private boolean somebodyWaitsForALock() {
        return database.queryForObject(
                        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND wait_event_type = 'Lock'",
                        Integer.class)
                > 0;
    }
}
