package io.outbox.spring.boot.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.KafkaMessages;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * From a write on one side to a write on the other: a shop that places orders, an outbox, Kafka, and two nodes of a billing
 * service with another database. Any of the three processes is killed at any time, and the listeners fail by chance. In the
 * end there is one bill for each order.
 */
class ExactlyOnceTest {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final String topic = "orders-" + UUID.randomUUID();
    private final String near = PostgresServer.shared().newDatabase();
    private final String far = PostgresServer.shared().newDatabase();
    private final List<ChildJvm> processes = new ArrayList<>();

    @TempDir
    private Path directory;

    @Test
    void everyOrderIsBilledOnceWhoeverIsKilled() throws Exception {
        run(300, 2, 50);
    }

    @Test
    @Tag("soak")
    void everyOneOfTenThousandOrdersIsBilledOnceWhoeverIsKilled() throws Exception {
        run(10_000, 30, 200);
    }

    /** @param failsOnceIn how many calls of a listener there are for one that fails, on average */
    private void run(int orders, int kills, int failsOnceIn) throws Exception {
        long seed = Long.getLong("exactly-once.seed", new Random().nextLong());
        Random random = new Random(seed);
        JdbcTemplate shop = new JdbcTemplate(new DriverManagerDataSource(near));
        JdbcTemplate billing = new JdbcTemplate(new DriverManagerDataSource(far));
        shop.execute(Shop.TABLE);
        billing.execute(Billing.TABLE);
        KafkaMessages.createTopics(4, topic);
        List<Supplier<ChildJvm>> kinds = List.of(
                () -> shop(orders), () -> billing("kafka", failsOnceIn), () -> billing("kafka.batch", failsOnceIn));
        try {
            kinds.forEach(kind -> processes.add(kind.get()));
            for (int kill = 1; kill <= kills; kill++) {
                long progress = (long) orders * kill / (kills + 1);
                await().atMost(PATIENCE).until(() -> allAlive() && count(billing, "bill") >= progress);
                int victim = random.nextInt(processes.size());
                processes.get(victim).kill();
                processes.set(victim, kinds.get(victim).get());
            }
            await("as many bills as orders, seed " + seed)
                    .atMost(PATIENCE)
                    .until(() -> allAlive()
                            && count(shop, "orders") >= orders
                            && count(billing, "bill") >= count(shop, "orders"));
            await("everything read, seed " + seed)
                    .atMost(PATIENCE)
                    .until(() -> KafkaMessages.committed(topic + "-group") == KafkaMessages.sent(topic));
        } finally {
            processes.forEach(ChildJvm::close);
        }
        assertThat(items(billing, "SELECT item FROM bill"))
                .as("seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(items(shop, "SELECT id FROM orders"));
    }

    /** Fails if a process has ended by itself, since nobody would go on in its place. */
    private boolean allAlive() {
        processes.forEach(ChildJvm::requireAlive);
        return true;
    }

    private static long count(JdbcTemplate database, String table) {
        return database.queryForObject("SELECT COUNT(*) FROM " + table, Long.class);
    }

    private static List<String> items(JdbcTemplate database, String sql) {
        return database.queryForList(sql, String.class);
    }

    private ChildJvm shop(int orders) {
        return ChildJvm.start(
                Shop.class, directory, "spring.datasource.url=" + near, "topic=" + topic, kafka(), "orders=" + orders);
    }

    /** Both kinds of listeners have the name of one consumer, since they share the events of a group. */
    private ChildJvm billing(String kind, int failsOnceIn) {
        return ChildJvm.start(
                Billing.class,
                directory,
                "spring.datasource.url=" + far,
                "topic=" + topic,
                kafka(),
                kind + "=true",
                "consumer=billing",
                "billing.fails-once-in=" + failsOnceIn,
                "spring.kafka.consumer.group-id=" + topic + "-group");
    }

    private static String kafka() {
        return "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers();
    }
}
