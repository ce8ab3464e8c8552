package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Events of each key arrive in the order of their commits, whichever processes are killed or frozen for longer than
 * their lease.
 */
class KeyedProcessesTest {

    private static final Duration LEASE = Duration.ofMillis(1500);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int KEYS = 12;

    @TempDir
    Path directory;

    private final List<Node> nodes = new ArrayList<>();
    private String url;
    private HikariDataSource pool;

    private record Node(Process process, Path output) {

        boolean hasSaid(String word) {
            try {
                return Files.readString(output).contains(word);
            } catch (IOException e) {
                return false;
            }
        }

        void signal(String name) throws Exception {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }

    @AfterEach
    void endAll() {
        nodes.forEach(node -> node.process.destroyForcibly());
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    void eachKeyIsDeliveredInOrderThroughKillsAndFreezes(TestDatabase database) throws Exception {
        createTables(database);
        Node first = start("node-1");
        Node second = start("node-2");
        start("node-3");
        awaitDelivered(200);

        first.process.destroyForcibly().waitFor();
        start("node-4");
        awaitDelivered(delivered() + 200);
        second.signal("STOP"); // its open transactions keep other writers of their keys waiting
        awaitPast(LEASE.multipliedBy(2));
        second.signal("CONT");
        awaitDelivered(delivered() + 100);
        second.process.destroyForcibly().waitFor();
        endWriting();

        await().atMost(PATIENCE).until(() -> OutboxRows.all(pool).isEmpty());
        assertInOrder();
    }

    private void createTables(TestDatabase database) throws SQLException {
        url = database.newUrl();
        pool = TestDatabase.pool(url, 4);
        JdbcOutbox.of(pool).createSchema();
        OutboxSchema.of(pool).createKeyedIfMissing();
        execute("CREATE TABLE aggregate (id VARCHAR(20) PRIMARY KEY, events INT NOT NULL)");
        String place = database == TestDatabase.POSTGRESQL ? "place BIGSERIAL" : "place BIGINT AUTO_INCREMENT";
        execute("CREATE TABLE delivery (" + place
                + " PRIMARY KEY, id VARCHAR(20) NOT NULL, number INT NOT NULL, node VARCHAR(20), what VARCHAR(10))");
        for (int i = 0; i < KEYS; i++) {
            execute("INSERT INTO aggregate VALUES ('k" + i + "', 0)");
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, sql);
        }
    }

    private Node start(String name) throws IOException {
        Path output = directory.resolve(name + ".out");
        List<String> command = ChildJvm.command(List.of("-Xmx128m"), KeyedNodeMain.class);
        command.addAll(List.of(url, name, Long.toString(LEASE.toMillis()), Integer.toString(KEYS), "2"));
        Node node = new Node(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start(),
                output);
        nodes.add(node);
        await().atMost(PATIENCE).until(() -> node.hasSaid("ready"));
        return node;
    }

    private void endWriting() throws Exception {
        for (Node node : nodes) {
            if (node.process.isAlive()) {
                node.process.getOutputStream().write('\n');
                node.process.getOutputStream().flush();
                await().atMost(PATIENCE).until(() -> node.hasSaid("written"));
            }
        }
    }

    private void awaitDelivered(int count) {
        await().atMost(PATIENCE).until(() -> delivered() >= count);
    }

    private static void awaitPast(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(PATIENCE).until(() -> System.nanoTime() - end >= 0);
    }

    private int delivered() throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT COUNT(*) AS events FROM delivery WHERE what = 'end'",
                            row -> row.getInt("events"))
                    .get(0);
        }
    }

    private record Delivery(String key, int number, String node, String what) {}

    /** Nothing begins before all that was committed before it has been delivered, and everything has been. */
    private void assertInOrder() throws SQLException {
        Map<String, Integer> written = new HashMap<>();
        List<Delivery> deliveries;
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.query(
                    conn,
                    "SELECT id, events FROM aggregate",
                    row -> written.put(row.getString("id"), row.getInt("events")));
            deliveries = JdbcTemplate.query(
                    conn,
                    "SELECT id, number, node, what FROM delivery ORDER BY place",
                    row -> new Delivery(
                            row.getString("id"), row.getInt("number"), row.getString("node"), row.getString("what")));
        }
        Map<String, Integer> done = new HashMap<>();
        Set<Delivery> early = new HashSet<>();
        for (Delivery delivery : deliveries) {
            int reached = done.getOrDefault(delivery.key, 0);
            if (delivery.number > reached + 1) {
                early.add(delivery);
            } else if (delivery.what.equals("end") && delivery.number == reached + 1) {
                done.put(delivery.key, reached + 1);
            }
        }
        assertThat(early).as("delivered too early").isEmpty();
        written.values().removeIf(events -> events == 0);
        assertThat(done).isEqualTo(written);
        System.out.println(written.values().stream().mapToInt(n -> n).sum() + " events, "
                + deliveries.stream().filter(one -> one.what.equals("end")).count() + " deliveries");
    }
}
