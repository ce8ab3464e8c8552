package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.support.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Events of each key arrive in the order in which Redis executed the transactions and scripts that wrote them,
 * whichever processes are killed or frozen for longer than their lease.
 */
class RedisKeyedProcessesTest {

    private static final Duration LEASE = Duration.ofMillis(1500);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int KEYS = 12;
    private static final String WRITERS = "2";

    @TempDir
    Path directory;

    private final String name = Redis.newName();
    private final List<Node> nodes = new ArrayList<>();

    private record Node(Process process, Path output) {

        boolean hasSaid(String word) {
            try {
                return Files.readString(output).contains(word);
            } catch (IOException e) {
                return false;
            }
        }

        void signal(String signal) throws Exception {
            assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                            .start()
                            .waitFor())
                    .isZero();
        }
    }

    @AfterEach
    void endAll() {
        nodes.forEach(node -> node.process.destroyForcibly());
    }

    @Test
    void eachKeyIsDeliveredInOrderThroughAKillAndAFreeze() throws Exception {
        Node first = start("node-1");
        Node second = start("node-2");
        awaitDelivered(200);

        first.process.destroyForcibly().waitFor();
        start("node-3");
        awaitDelivered(delivered() + 200);
        second.signal("STOP");
        awaitPast(LEASE.multipliedBy(2));
        second.signal("CONT");
        awaitDelivered(delivered() + 100);
        endWriting();

        awaitNothingLeft();
        assertInOrder();
    }

    @Test
    @Tag("soak")
    void eachKeyIsDeliveredInOrderThroughManyKillsAndFreezes() throws Exception {
        Random random = new Random(Long.getLong("soak.seed", 1));
        Duration time = Duration.ofMinutes(Long.getLong("soak.minutes", 3));
        long end = System.nanoTime() + time.toNanos();
        int started = 0;
        while (System.nanoTime() - end < 0) {
            while (nodes.stream().filter(node -> node.process.isAlive()).count() < 3) {
                start("node-" + ++started);
            }
            awaitDelivered(delivered() + 100);
            List<Node> alive =
                    nodes.stream().filter(node -> node.process.isAlive()).toList();
            Node victim = alive.get(random.nextInt(alive.size()));
            if (random.nextBoolean()) {
                victim.process.destroyForcibly().waitFor();
            } else {
                victim.signal("STOP");
                awaitPast(LEASE.plusMillis(random.nextInt(2_000)));
                victim.signal("CONT");
            }
        }
        endWriting();

        awaitNothingLeft();
        assertInOrder();
    }

    private Node start(String node) throws IOException {
        Path output = directory.resolve(node + ".out");
        String address = "redis://:" + Redis.server().password() + "@127.0.0.1:"
                + Redis.server().port();
        List<String> command = ChildJvm.command(List.of("-Xmx128m"), KeyedNodeMain.class);
        command.addAll(List.of(address, name, node, Long.toString(LEASE.toMillis()), Integer.toString(KEYS), WRITERS));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        Node started = new Node(process, output);
        nodes.add(started);
        await().atMost(PATIENCE).until(() -> started.hasSaid("ready"));
        return started;
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

    private List<String> journal() {
        return Redis.commands().lrange(KeyedNodeMain.journal(name), 0, -1);
    }

    private int delivered() {
        return (int) journal().stream().filter(line -> line.startsWith("end")).count();
    }

    private void awaitDelivered(int count) {
        await().atMost(PATIENCE).until(() -> delivered() >= count);
    }

    private static void awaitPast(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        await().atMost(PATIENCE).until(() -> System.nanoTime() - end >= 0);
    }

    private void awaitNothingLeft() {
        await().atMost(PATIENCE).until(() -> Redis.commands().hlen(new RedisKeys(name).event()) == 0);
        Layout.of(Redis.commands(), name).assertConsistent();
    }

    /** Nothing begins before all that was written before it has been delivered, and everything has been. */
    private void assertInOrder() {
        Map<String, List<String>> written = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            written.put("k" + i, Redis.commands().lrange(KeyedNodeMain.written(name, "k" + i), 0, -1));
        }
        Map<String, Integer> done = new HashMap<>();
        List<String> early = new ArrayList<>();
        for (String line : journal()) {
            String[] words = line.split(" ");
            int reached = done.getOrDefault(words[1], 0);
            int place = written.get(words[1]).indexOf(words[2]);
            if (place < 0 || place > reached) {
                early.add(line + ", " + place + " after " + reached);
            } else if (words[0].equals("end") && place == reached) {
                done.put(words[1], reached + 1);
            }
        }
        assertThat(early).as("delivered too early, or never written").isEmpty();
        written.forEach((key, ids) -> assertThat(done.getOrDefault(key, 0)).isEqualTo(ids.size()));
        System.out.println(
                written.values().stream().mapToInt(List::size).sum() + " events, " + delivered() + " deliveries");
    }
}
