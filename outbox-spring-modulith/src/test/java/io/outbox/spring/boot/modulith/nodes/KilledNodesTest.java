package io.outbox.spring.boot.modulith.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.PostgresServer;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Two instances of an application of Spring Modulith under load, with Kafka as the target, which are killed. */
class KilledNodesTest {

    private static final Duration LIMIT = Duration.ofMinutes(2);
    /** What a node can have sent without having written down that it did: a batch for each worker. */
    private static final int IN_FLIGHT = 2 * 50;

    @TempDir
    Path directory;

    private final PostgresServer postgres = PostgresServer.shared();
    private final KafkaServer kafka = KafkaServer.shared();
    private final Map<String, ChildJvm> nodes = new HashMap<>();
    private final Map<String, Integer> received = new HashMap<>();
    private String url;
    private JdbcTemplate jdbc;
    private KafkaConsumer<String, String> consumer;

    @BeforeEach
    void prepare() {
        Topics.create(kafka, "orders");
        url = postgres.newDatabase();
        jdbc = new JdbcTemplate(new DriverManagerDataSource(url, postgres.user(), postgres.password()));
        jdbc.execute("CREATE TABLE shop_order (id VARCHAR(40) PRIMARY KEY)");
        jdbc.execute("CREATE TABLE shop_phase (phase INT NOT NULL)");
        jdbc.update("INSERT INTO shop_phase VALUES (0)");
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        kafka.bootstrapServers(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "latest"),
                new StringDeserializer(),
                new StringDeserializer());
        TopicPartition orders = new TopicPartition("orders", 0);
        consumer.assign(Set.of(orders));
        consumer.seekToEnd(Set.of(orders));
        consumer.position(orders);
    }

    @AfterEach
    void end() {
        nodes.values().forEach(ChildJvm::close);
        consumer.close();
    }

    @Test
    void nothingIsLostAndNothingComesTwiceWithoutAFault() {
        run(List.of("a"), 200);
    }

    @Test
    @Tag("soak")
    void nothingIsLostWhileNodesAreKilledAgainAndAgain() {
        run(
                Stream.generate(() -> List.of("a", "b"))
                        .limit(10)
                        .flatMap(List::stream)
                        .toList(),
                2_000);
    }

    /** @param victims which nodes are killed, one after the other */
    private void run(List<String> victims, int ordersWithoutFault) {
        startNode("a", ordersWithoutFault);
        startNode("b", ordersWithoutFault);
        nodes.values().forEach(node -> node.awaitLine("ready"));
        jdbc.update("UPDATE shop_phase SET phase = 1");
        nodes.values().forEach(node -> node.awaitLine("written"));
        awaitDelivery();
        assertThat(received)
                .hasSize(2 * ordersWithoutFault)
                .allSatisfy((id, times) ->
                        assertThat(times).as("without a fault, order " + id).isEqualTo(1));

        jdbc.update("UPDATE shop_phase SET phase = 2");
        int kills = 0;
        for (String name : victims) {
            awaitOrders(200);
            nodes.get(name).kill();
            kills++;
            startNode(name + "-" + kills, 0);
            nodes.put(name, nodes.remove(name + "-" + kills));
            nodes.get(name).awaitLine("ready");
        }
        awaitOrders(200);
        jdbc.update("UPDATE shop_phase SET phase = 3");
        nodes.values().forEach(node -> node.awaitLine("stopped"));
        awaitDelivery();

        assertThat(received.keySet()).as("lost, or never committed").isEqualTo(committed());
        int repetitions =
                received.values().stream().mapToInt(times -> times - 1).sum();
        assertThat(repetitions).as("repetitions after " + kills + " kills").isLessThanOrEqualTo(kills * IN_FLIGHT);
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class))
                .as("DEAD events")
                .isZero();
    }

    private void startNode(String name, int orders) {
        nodes.put(
                name,
                ChildJvm.start(
                        ShopNode.class,
                        directory,
                        "shop.name=" + name,
                        "shop.orders=" + orders,
                        "spring.datasource.url=" + url,
                        "spring.datasource.username=" + postgres.user(),
                        "spring.datasource.password=" + postgres.password(),
                        "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                        "spring.modulith.events.externalization.mode=outbox",
                        "outbox.schema.initialize=always",
                        "outbox.claim-locking.lock-timeout=4s",
                        "outbox.mode=multi-node",
                        "outbox.dispatcher.worker-count=2",
                        "outbox.modulith.batch-size=50",
                        "outbox.poller.interval=200ms"));
    }

    private void awaitOrders(int more) {
        int before = orders();
        await().atMost(LIMIT).until(() -> {
            nodes.values().forEach(ChildJvm::requireAlive);
            receive();
            return orders() >= before + more;
        });
    }

    private int orders() {
        return jdbc.queryForObject("SELECT COUNT(*) FROM shop_order", Integer.class);
    }

    private Set<String> committed() {
        return new HashSet<>(jdbc.queryForList("SELECT id FROM shop_order", String.class));
    }

    /** Waits until nothing is left in the table, and takes what is in the topic then. */
    private void awaitDelivery() {
        await().atMost(LIMIT)
                .until(() ->
                        jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)", Integer.class)
                                == 0);
        TopicPartition orders = new TopicPartition("orders", 0);
        long end = consumer.endOffsets(Set.of(orders)).get(orders);
        await().atMost(LIMIT).until(() -> {
            receive();
            return consumer.position(orders) >= end;
        });
    }

    private void receive() {
        consumer.poll(Duration.ofMillis(100)).forEach(record -> received.merge(record.key(), 1, Integer::sum));
    }
}
