package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several nodes in processes of their own, working, dying and closing. */
class MultiProcessTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LONG_LEASE = Duration.ofMinutes(10);
    private static final Duration SETTLE_TIME = Duration.ofMillis(300);

    @TempDir
    Path directory;

    private final List<NodeProcess> nodes = new ArrayList<>();
    private String url;
    private HikariDataSource pool;

    @AfterEach
    void endAll() {
        nodes.forEach(NodeProcess::close);
        pool.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void threeProcessesDeliverEveryCommittedEventOnceInTotal(TestDatabase database) throws Exception {
        createTable(database);
        List<String> backlog = writeBacklog(200);
        NodeSettings settings = NodeSettings.delivering(LONG_LEASE, Duration.ofMillis(2))
                .writing(3, 100)
                .queueing(10);

        for (int i = 0; i < 3; i++) {
            start("node-" + i, settings);
        }
        await().atMost(PATIENCE).until(() -> nodes.stream().allMatch(NodeProcess::hasWrittenAll));
        awaitAllDone(PATIENCE);
        await().during(SETTLE_TIME).until(() -> true);
        shutDownAll();

        Map<String, OutboxRows.Row> rows = OutboxRows.all(pool);
        List<String> committed = new ArrayList<>(backlog);
        committed.addAll(NodeProcess.noted(nodes, Journal.Kind.COMMITTED));
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(rows.values()).allMatch(row -> row.isDone() && row.attempts() == 0 && row.lockedBy() == null);
        assertThat(NodeProcess.noted(nodes, Journal.Kind.STARTED)).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(NodeProcess.noted(nodes, Journal.Kind.ENDED)).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(nodes)
                .as("every node took part")
                .noneMatch(node -> node.noted(Journal.Kind.ENDED).isEmpty());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void whatAKilledNodeHeldIsDeliveredByTheOthersAndOnlyWhatItExecutedTwice(TestDatabase database) throws Exception {
        createTable(database);
        Duration lease = Duration.ofSeconds(2);
        List<String> backlog = writeBacklog(300);
        NodeProcess victim = start(
                "victim",
                NodeSettings.delivering(lease, Duration.ofMillis(250))
                        .writing(3, 40)
                        .queueing(200));
        await().atMost(PATIENCE).until(victim::hasWrittenAll);
        NodeSettings helping = NodeSettings.delivering(lease, Duration.ofMillis(1));
        NodeProcess helper = start("helper", helping);
        NodeProcess other = start("other", helping);
        await().atMost(PATIENCE)
                .until(() -> helper.isReady()
                        && other.isReady()
                        && victim.noted(Journal.Kind.ENDED).size() > 2 * NodeMain.WORKERS);

        Set<String> doneBefore = OutboxRows.done(pool);
        Set<String> held =
                OutboxRows.where(pool, "locked_by = 'victim' AND status <> 1").keySet();
        victim.kill();
        long killedAt = System.nanoTime();
        awaitAllDone(PATIENCE);
        Duration takenOverAfter = Duration.ofNanos(System.nanoTime() - killedAt);
        await().during(SETTLE_TIME).until(() -> true);
        helper.shutDown();
        other.shutDown();

        assertThat(held).as("events in the victim's hands").hasSizeGreaterThan(3 * NodeMain.WORKERS);
        Map<String, OutboxRows.Row> rows = OutboxRows.all(pool);
        assertThat(rows.keySet()).containsAll(backlog).containsAll(victim.noted(Journal.Kind.COMMITTED));
        assertThat(rows.keySet()).doesNotContainAnyElementsOf(victim.noted(Journal.Kind.ROLLED_BACK));
        assertThat(rows.values()).allMatch(row -> row.isDone() && row.attempts() == 0);
        assertThat(takenOverAfter).isLessThan(lease.plusSeconds(8));

        Map<String, Integer> starts = counts(NodeProcess.noted(nodes, Journal.Kind.STARTED));
        assertThat(starts.keySet()).containsExactlyInAnyOrderElementsOf(rows.keySet());
        Set<String> twice = moreThanOnce(starts);
        assertThat(twice).as("the victim had begun them").isSubsetOf(victim.noted(Journal.Kind.STARTED));
        assertThat(twice).as("they were not finished at the kill").doesNotContainAnyElementsOf(doneBefore);
        assertThat(starts.values()).allMatch(count -> count <= 2);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void aKilledNodeLosesNothingThoughFinishedEventsAreDeleted(TestDatabase database) throws Exception {
        createTable(database);
        Duration lease = Duration.ofSeconds(2);
        List<String> committed = new ArrayList<>(writeBacklog(100));
        NodeProcess victim = start(
                "victim",
                NodeSettings.delivering(lease, Duration.ofMillis(100))
                        .writing(3, 20)
                        .queueing(200)
                        .deleting());
        await().atMost(PATIENCE)
                .until(() -> victim.hasWrittenAll()
                        && victim.noted(Journal.Kind.ENDED).size() > 2 * NodeMain.WORKERS);
        committed.addAll(victim.noted(Journal.Kind.COMMITTED));

        Set<String> goneBefore = new HashSet<>(committed);
        goneBefore.removeAll(OutboxRows.all(pool).keySet());
        victim.kill();
        start("heir", NodeSettings.delivering(lease, Duration.ZERO).deleting());
        await().atMost(PATIENCE).until(() -> OutboxRows.all(pool).isEmpty());
        nodes.get(1).shutDown();

        Map<String, Integer> starts = counts(NodeProcess.noted(nodes, Journal.Kind.STARTED));
        assertThat(starts.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(NodeProcess.noted(nodes, Journal.Kind.ENDED)).containsAll(committed);
        Set<String> twice = moreThanOnce(starts);
        assertThat(twice).as("the victim had begun them").isSubsetOf(victim.noted(Journal.Kind.STARTED));
        assertThat(goneBefore).as("what was gone at the kill").isNotEmpty();
        assertThat(twice).doesNotContainAnyElementsOf(goneBefore);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "H2")
    void afterACloseUnderLoadNothingWaitsForALeaseToRunOut(TestDatabase database) throws Exception {
        createTable(database);
        List<String> backlog = writeBacklog(100);
        NodeSettings slow = NodeSettings.delivering(LONG_LEASE, Duration.ofMillis(40))
                .writing(3, 60)
                .queueing(100);
        NodeProcess closing = start("closing", slow);
        await().atMost(PATIENCE)
                .until(() -> closing.noted(Journal.Kind.ENDED).size() > 10
                        && closing.noted(Journal.Kind.COMMITTED).size() > 20);

        closing.shutDown();
        Map<String, OutboxRows.Row> left = OutboxRows.where(pool, "status <> 1");
        start("heir", NodeSettings.delivering(LONG_LEASE, Duration.ZERO));
        awaitAllDone(Duration.ofSeconds(15));
        await().during(SETTLE_TIME).until(() -> true);
        nodes.get(1).shutDown();

        assertThat(left).as("events left by the first node").isNotEmpty();
        assertThat(left.values()).allMatch(row -> row.lockedBy() == null);
        Map<String, OutboxRows.Row> rows = OutboxRows.all(pool);
        List<String> committed = new ArrayList<>(backlog);
        committed.addAll(closing.noted(Journal.Kind.COMMITTED));
        assertThat(rows.keySet()).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(rows.values()).allMatch(row -> row.isDone() && row.attempts() == 0);
        assertThat(NodeProcess.noted(nodes, Journal.Kind.ENDED))
                .as("finished once each; only what the close interrupted was begun again")
                .containsExactlyInAnyOrderElementsOf(committed);
    }

    private void createTable(TestDatabase database) {
        url = database.newUrl();
        pool = TestDatabase.pool(url, 4);
        JdbcOutbox.of(pool).createSchema();
    }

    private List<String> writeBacklog(int events) {
        JdbcOutbox jdbc = JdbcOutbox.of(pool);
        List<EventEnvelope> backlog = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            backlog.add(EventEnvelope.ofJson(NodeMain.EVENT_TYPE, "{}"));
        }
        try (Outbox outbox = Outbox.writerOnly().backend(jdbc.backend()).build();
                Transaction tx = jdbc.begin()) {
            List<String> ids = outbox.writer().writeAll(backlog);
            tx.commit();
            return ids;
        }
    }

    private NodeProcess start(String name, NodeSettings settings) {
        NodeProcess node = NodeProcess.start(url, name, settings, directory);
        nodes.add(node);
        return node;
    }

    private void awaitAllDone(Duration atMost) {
        await().atMost(atMost)
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(
                        () -> assertThat(OutboxRows.where(pool, "status <> 1")).isEmpty());
    }

    private void shutDownAll() throws IOException, InterruptedException {
        for (NodeProcess node : nodes) {
            node.shutDown();
        }
    }

    private static Map<String, Integer> counts(Collection<String> ids) {
        Map<String, Integer> counts = new TreeMap<>();
        ids.forEach(id -> counts.merge(id, 1, Integer::sum));
        return counts;
    }

    private static Set<String> moreThanOnce(Map<String, Integer> counts) {
        Set<String> ids = new HashSet<>();
        counts.forEach((id, count) -> {
            if (count > 1) {
                ids.add(id);
            }
        });
        return ids;
    }
}
