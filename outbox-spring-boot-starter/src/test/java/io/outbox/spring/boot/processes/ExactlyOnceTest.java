package io.outbox.spring.boot.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.KafkaMessages;
import io.outbox.spring.boot.RabbitMessages;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * From a write on one side to a write on the other: a shop that places orders, an outbox, a broker, and two nodes of a
 * billing service with another database. Any of the three processes is killed at any time, and the listeners fail by
 * chance. In the end there is one bill for each order.
 */
class ExactlyOnceTest {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /** By the default exchange into the queue. */
    private static final String[] RABBIT = {
        "outbox.publisher.sender.type=rabbit_mq",
        "outbox.publisher.events.order-placed.topic=",
        "outbox.publisher.events.order-placed.routing-key=${topic}"
    };

    private final String topic = "orders-" + UUID.randomUUID();
    private final String near = PostgresServer.shared().newDatabase();
    private final String far = PostgresServer.shared().newDatabase();
    private final List<ChildJvm> processes = new ArrayList<>();

    @TempDir
    private Path directory;

    @Test
    void everyOrderIsBilledOnceWhoeverIsKilled() throws Exception {
        runWithKafka(300, 2, 50);
    }

    @Test
    @Tag("soak")
    void everyOneOfTenThousandOrdersIsBilledOnceWhoeverIsKilled() throws Exception {
        runWithKafka(10_000, 30, 200);
    }

    @Test
    @Tag("soak")
    void everyOneOfTenThousandOrdersIsBilledOnceWhoeverIsKilledWithRabbitMq() throws Exception {
        try (RabbitMessages queue = RabbitMessages.open(topic)) {
            run(
                    10_000,
                    30,
                    List.of(() -> shop(10_000, RABBIT), () -> billing("rabbit", 200), () -> billing("rabbit", 200)),
                    () -> queue.waiting() == 0);
        }
    }

    /** @param failsOnceIn how many calls of a listener there are for one that fails, on average */
    private void runWithKafka(int orders, int kills, int failsOnceIn) throws Exception {
        KafkaMessages.createTopics(4, topic);
        run(
                orders,
                kills,
                List.of(
                        () -> shop(orders),
                        () -> billing("kafka", failsOnceIn),
                        () -> billing("kafka.batch", failsOnceIn)),
                () -> KafkaMessages.committed(topic + "-group") == KafkaMessages.sent(topic));
    }

    private void run(int orders, int kills, List<Supplier<ChildJvm>> kinds, Callable<Boolean> everythingRead)
            throws Exception {
        long seed = Long.getLong("exactly-once.seed", new Random().nextLong());
        Random random = new Random(seed);
        JdbcTemplate shop = new JdbcTemplate(new DriverManagerDataSource(near));
        JdbcTemplate billing = new JdbcTemplate(new DriverManagerDataSource(far));
        shop.execute(Shop.TABLE);
        billing.execute(Billing.TABLE);
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
            await("everything read, seed " + seed).atMost(PATIENCE).until(everythingRead);
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

    private ChildJvm shop(int orders, String... settings) {
        return ChildJvm.start(
                Shop.class,
                directory,
                Stream.concat(
                                Stream.of(
                                        "spring.datasource.url=" + near,
                                        "topic=" + topic,
                                        kafka(),
                                        rabbit(),
                                        "orders=" + orders),
                                Stream.of(settings))
                        .toArray(String[]::new));
    }

    /** Both kinds of listeners have the name of one consumer, since they share the events of a group. */
    private ChildJvm billing(String kind, int failsOnceIn) {
        return ChildJvm.start(
                Billing.class,
                directory,
                "spring.datasource.url=" + far,
                "topic=" + topic,
                "queue=" + topic,
                kafka(),
                rabbit(),
                kind + "=true",
                "consumer=billing",
                "billing.fails-once-in=" + failsOnceIn,
                "spring.kafka.consumer.group-id=" + topic + "-group");
    }

    private static String rabbit() {
        return "spring.rabbitmq.addresses=" + RabbitServer.shared().uri();
    }

    private static String kafka() {
        return "spring.kafka.bootstrap-servers=" + KafkaServer.shared().bootstrapServers();
    }
}
