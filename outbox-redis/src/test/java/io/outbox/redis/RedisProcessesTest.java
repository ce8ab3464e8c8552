package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.outbox.Outbox;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several nodes in processes of their own, of which some die or freeze. */
class RedisProcessesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int EVENTS = 200;

    private final String name = Redis.newName();
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final List<Process> nodes = new ArrayList<>();

    @AfterEach
    void endAll() {
        nodes.forEach(Process::destroyForcibly);
        redis.close();
    }

    @Test
    void whatAKilledNodeHeldIsDeliveredByOthersAndOnlyWhatItHadBegunTwice() throws Exception {
        Set<String> written = write();
        Process victim = start("victim", 200);
        awaitDeliveriesOf("victim", 2 * NodeMain.WORKERS);

        victim.destroyForcibly().waitFor();
        start("helper", 1);

        awaitAllDone();
        assertDelivered(written, deliveriesOf("victim"));
        assertThat(deliveriesOf("helper")).isNotEmpty();
    }

    @Test
    void whatANodeHeldThatWasFrozenIsDeliveredByOthersAndItsLateOutcomesDoNotCount() throws Exception {
        Set<String> written = write();
        Process victim = start("victim", 200);
        awaitDeliveriesOf("victim", 2 * NodeMain.WORKERS);
        start("helper", 1);

        signal(victim, "STOP");
        awaitAllDone();
        int before = Redis.commands().llen(name + "-journal").intValue();
        signal(victim, "CONT");
        await().pollDelay(LEASE).until(() -> true);

        assertDelivered(written, deliveriesOf("victim"));
        int late = Redis.commands().llen(name + "-journal").intValue() - before;
        assertThat(late).as("deliveries that it began when it woke up").isLessThanOrEqualTo(NodeMain.WORKERS);
        shutDown(victim);
        Layout.of(Redis.commands(), name).assertConsistent();
    }

    @Test
    void twoProcessesDeliverEachEventOnceInTotal() throws Exception {
        Set<String> written = write();
        Process first = start("first", 2, PATIENCE);
        Process second = start("second", 2, PATIENCE);

        awaitAllDone();
        written.addAll(write());
        awaitAllDone();
        shutDown(first);
        shutDown(second);

        assertDelivered(written, Set.of());
    }

    private Set<String> write() {
        try (Outbox outbox = Outbox.writerOnly()
                .backend(redis.backend())
                .wakeUp(redis.wakeUp())
                .build()) {
            Set<String> ids = new HashSet<>();
            for (int i = 0; i < EVENTS; i++) {
                ids.add(outbox.writer().write(Load.EVENT_TYPE, "{}"));
            }
            return ids;
        }
    }

    private Process start(String node, long deliveryMs) throws IOException {
        return start(node, deliveryMs, LEASE);
    }

    private Process start(String node, long deliveryMs, Duration lease) throws IOException {
        RedisURI uri = Redis.uri(Redis.server());
        String address = "redis://:" + Redis.server().password() + "@127.0.0.1:" + uri.getPort();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NodeMain.class.getName(),
                        address,
                        name,
                        node,
                        Long.toString(lease.toMillis()),
                        Long.toString(deliveryMs))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.DISCARD)
                .start();
        nodes.add(process);
        return process;
    }

    private static void signal(Process process, String signal) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static void shutDown(Process process) throws Exception {
        process.getOutputStream().close();
        assertThat(process.waitFor(30, TimeUnit.SECONDS))
                .as("the node has ended")
                .isTrue();
    }

    private List<String> journal() {
        return Redis.commands().lrange(name + "-journal", 0, -1);
    }

    private Set<String> deliveriesOf(String node) {
        Set<String> ids = new HashSet<>();
        journal().stream()
                .filter(line -> line.startsWith(node + " "))
                .forEach(line -> ids.add(line.substring(node.length() + 1)));
        return ids;
    }

    private void awaitDeliveriesOf(String node, int count) {
        await().atMost(PATIENCE).until(() -> deliveriesOf(node).size() >= count);
    }

    private void awaitAllDone() {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(redis.backend().counts()).isEmpty());
    }

    /** Each event was delivered, and more than once only if it is among those that may be, and then twice. */
    private void assertDelivered(Set<String> written, Set<String> maybeTwice) {
        Map<String, Integer> times = new HashMap<>();
        journal().forEach(line -> times.merge(line.substring(line.indexOf(' ') + 1), 1, Integer::sum));
        assertThat(times.keySet()).containsExactlyInAnyOrderElementsOf(written);
        times.forEach((id, count) -> assertThat(count).as(id).isBetween(1, maybeTwice.contains(id) ? 2 : 1));
        assertThat(written)
                .allSatisfy(id -> assertThat(StoredEvents.find(Redis.commands(), name, id))
                        .hasValueSatisfying(
                                event -> assertThat(event.attempts()).isZero()));
    }
}
