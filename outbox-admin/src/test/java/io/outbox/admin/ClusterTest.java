package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventView;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.ClusterFigures;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.MetricsExporter;
import io.outbox.testservers.support.Intercepted;
import io.outbox.testservers.support.LogLines;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several nodes on one store are one outbox to operators, whichever of them answers. */
class ClusterTest {

    private static final String API = "/outbox-admin/api";
    private static final String LANE = "Shipped";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Member.Pace FAST = new Member.Pace(
            Duration.ofMillis(20),
            Duration.ofMillis(40),
            Duration.ofMillis(80),
            Duration.ofMillis(1500),
            Duration.ofHours(1));

    private final HikariDataSource pool = new HikariDataSource(config());
    private final JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
    private Member.Pace pace = FAST;
    private final List<AutoCloseable> opened = new ArrayList<>();

    private static HikariConfig config() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(
                "jdbc:h2:mem:cluster_" + UUID.randomUUID().toString().replace("-", "") + ";DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(12);
        return config;
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
        pool.close();
    }

    private static JsonObject json(AdminResponse answer) {
        return JsonParser.parseString(new String(answer.bytes(), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }

    /** A node: its outbox and its administration. */
    private record Node(Outbox outbox, OutboxAdmin admin, OutboxSeries series) implements AutoCloseable {

        JsonObject get(String path) {
            return json(answer("GET", path, null));
        }

        AdminResponse answer(String method, String path, String body) {
            int query = path.indexOf('?');
            return admin.handle(new AdminRequest(
                    AdminRequest.Target.of(
                            method,
                            API + (query < 0 ? path : path.substring(0, query)),
                            query < 0 ? null : path.substring(query + 1)),
                    Map.of("Host", "localhost", "Content-Type", "application/json"),
                    body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8),
                    InetAddress.getLoopbackAddress(),
                    null));
        }

        int post(String path) {
            return answer("POST", path, null).status();
        }

        @Override
        public void close() {
            admin.close();
            outbox.close();
        }
    }

    private Node node(String name) {
        return node(name, event -> DispatchResult.done());
    }

    private Node node(String name, EventListener listener) {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        Outbox outbox = Outbox.multiNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry()
                        .register("Order", "Placed", listener)
                        .register("Order", LANE, event -> DispatchResult.done()))
                .claimLocking(name, Duration.ofMinutes(5))
                .lane(LANE, LanePolicy.builder().build())
                .metrics(series)
                .startManually()
                .build();
        Node node = new Node(
                outbox, OutboxAdmin.of(outbox).series(series).pace(pace).build(), series);
        opened.add(node);
        outbox.start();
        return node;
    }

    private List<String> writeDead(Outbox outbox, int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder("Placed")
                    .aggregateType("Order")
                    .payloadJson("{}")
                    .build());
        }
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
        await().atMost(PATIENCE)
                .until(() ->
                        outbox.deadLetters().orElseThrow().countByState(20_000).get(DlqStatus.MOVED) == count);
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    private String writeLater(Outbox outbox) {
        EventEnvelope event = EventEnvelope.builder("Placed")
                .aggregateType("Order")
                .payloadJson("{}")
                .deliverAfter(Duration.ofHours(1))
                .build();
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().write(event);
            tx.commit();
        }
        return event.eventId();
    }

    @Test
    void aPauseHoldsOnAllNodesAndSurvivesTheirEnd() {
        Node one = node("shop-1");
        Node two = node("shop-2");

        assertThat(one.post("/delivery/pause")).isEqualTo(204);
        assertThat(one.outbox.state()).isEqualTo(State.PAUSED);
        await().atMost(PATIENCE).until(() -> two.outbox.state() == State.PAUSED);
        await().atMost(PATIENCE)
                .until(() -> one.get("/overview")
                                .getAsJsonObject("nodes")
                                .get("paused")
                                .getAsInt()
                        == 2);
        one.close();
        two.close();

        Node again = node("shop-1");
        assertThat(again.outbox.state()).as("paused before it was started").isEqualTo(State.PAUSED);
        JsonObject pause =
                again.get("/overview").getAsJsonArray("pauses").get(0).getAsJsonObject();
        assertThat(pause.get("by").getAsString()).isEqualTo("loopback");
        assertThat(pause.get("node").isJsonNull()).isTrue();

        assertThat(again.post("/delivery/resume")).isEqualTo(204);
        assertThat(again.outbox.state()).isEqualTo(State.RUNNING);
        assertThat(again.get("/overview").getAsJsonArray("pauses")).isEmpty();
    }

    @Test
    void aTypeOrOneNodeIsPausedByItself() {
        Node one = node("shop-1");
        Node two = node("shop-2");

        assertThat(one.post("/types/" + LANE + "/pause")).isEqualTo(204);
        await().atMost(PATIENCE).until(() -> two.outbox.pausedTypes().contains(LANE));
        assertThat(two.post("/nodes/shop-1/delivery/pause")).isEqualTo(204);
        await().atMost(PATIENCE).until(() -> one.outbox.state() == State.PAUSED);
        assertThat(two.outbox.state()).isEqualTo(State.RUNNING);

        assertThat(two.post("/nodes/shop-2/types/" + LANE + "/resume"))
                .as("it is paused on all nodes")
                .isEqualTo(409);
        assertThat(two.post("/types/" + LANE + "/resume")).isEqualTo(204);
        assertThat(two.post("/delivery/resume")).as("also where one was paused").isEqualTo(204);
        await().atMost(PATIENCE)
                .until(() -> one.outbox.state() == State.RUNNING
                        && one.outbox.pausedTypes().isEmpty());
        assertThat(one.get("/audit").toString()).contains("all delivery of node shop-1", LANE + " of all nodes");
    }

    @Test
    void aTypeSaysOnHowManyNodesItIsPausedWhicheverNodeAnswers() {
        Node one = node("shop-1");
        Node two = node("shop-2");
        Node three = node("shop-3");

        assertThat(one.post("/nodes/shop-3/types/" + LANE + "/pause")).isEqualTo(204);

        for (Node node : List.of(one, two, three)) {
            assertThat(pausedOn(node)).isEqualTo("{\"nodes\":1,\"of\":3}");
        }
        assertThat(one.post("/types/" + LANE + "/pause")).isEqualTo(204);
        assertThat(pausedOn(two)).isEqualTo("{\"nodes\":3,\"of\":3}");
        assertThat(two.post("/types/" + LANE + "/resume")).isEqualTo(204);
        for (Node node : List.of(one, two, three)) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(pausedOn(node)).isEqualTo("null"));
        }
    }

    private static String pausedOn(Node node) {
        return node.get("/types").getAsJsonArray("items").asList().stream()
                .map(type -> type.getAsJsonObject())
                .filter(type -> type.get("eventType").getAsString().equals(LANE))
                .findFirst()
                .orElseThrow()
                .get("pausedOn")
                .toString();
    }

    @Test
    void whatTheApplicationHasPausedItselfIsNotResumedByAnotherPause() {
        Node one = node("shop-1");
        Node two = node("shop-2");
        two.outbox.pause(LANE);

        one.post("/delivery/pause");
        await().atMost(PATIENCE).until(() -> two.outbox.state() == State.PAUSED);
        one.post("/delivery/resume");
        await().atMost(PATIENCE).until(() -> two.outbox.state() == State.RUNNING);

        assertThat(two.outbox.pausedTypes()).containsExactly(LANE);
    }

    @Test
    void nodesAreShownWithWhatTheySayAndForHowLongTheyAreSilent() {
        Node one = node("shop-1");
        Node two = node("shop-2");
        ClusterBackend cluster = cluster();
        cluster.join("frozen", "shop-3", "{\"host\":\"h3\",\"future\":[1]}");
        cluster.join("other-version", "shop-4", "no JSON");

        await().atMost(PATIENCE).until(() -> stateOf(one, "shop-3").equals("SILENT"));

        assertThat(stateOf(one, "shop-1")).isEqualTo("UP");
        assertThat(stateOf(one, "shop-2")).isEqualTo("UP");
        assertThat(two.get("/overview").getAsJsonObject("nodes").get("silent").getAsInt())
                .isGreaterThanOrEqualTo(1);
        JsonObject detail = nodeOf(one, "shop-2").getAsJsonObject("detail");
        assertThat(detail.get("host").getAsString()).isNotBlank();
        assertThat(detail.get("version").getAsString()).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(detail.get("delivery").getAsString()).isEqualTo("RUNNING");
        assertThat(detail.get("clockOffMs").getAsLong()).isBetween(-30_000L, 30_000L);
        assertThat(detail.get("sameName").getAsBoolean()).isFalse();
        two.close();
        assertThat(one.get("/nodes").toString()).doesNotContain("shop-2");
    }

    @Test
    void twoNodesOfOneNameAreToldApartAndSaidToBe() {
        Node one = node("shop-1");
        Node two = node("shop-1");

        await().atMost(PATIENCE)
                .until(() -> nodeOf(one, "shop-1")
                        .getAsJsonObject("detail")
                        .get("sameName")
                        .getAsBoolean());

        assertThat(one.get("/nodes").getAsJsonArray("items")).hasSize(2);
        assertThat(two.get("/overview").getAsJsonObject("nodes").get("up").getAsInt())
                .isEqualTo(2);
    }

    @Test
    void aBulkActionIsSeenAndCancelledOnAnotherNode() throws Exception {
        Node one = node("shop-1", event -> {
            throw new UnrecoverableException("boom");
        });
        Node two = node("shop-2", event -> {
            throw new UnrecoverableException("boom");
        });
        one.outbox.pause();
        writeDead(two.outbox, 1);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Thread lock = new Thread(() -> hold("SELECT * FROM outbox_dlq_event FOR UPDATE", held, release));
        lock.start();
        assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();

        String id = json(one.answer("POST", "/bulk", "{\"action\":\"resolve\",\"filter\":{}}"))
                .get("id")
                .getAsString();
        await().atMost(PATIENCE)
                .until(() -> bulk(two, id).get("state").getAsString().equals("RUNNING"));
        assertThat(bulk(two, id).get("node").getAsString()).isEqualTo("shop-1");
        assertThat(two.answer("DELETE", "/bulk/" + id, null).status()).isEqualTo(202);
        assertThat(bulk(one, id).get("cancelling").getAsBoolean()).isTrue();
        release.countDown();
        lock.join();

        await().atMost(PATIENCE).until(() -> !bulk(two, id).get("finishedAt").isJsonNull());
        assertThat(two.get("/bulk").getAsJsonArray("items")).hasSize(1);
    }

    private void hold(String sql, CountDownLatch held, CountDownLatch release) {
        try (Connection conn = pool.getConnection()) {
            conn.setAutoCommit(false);
            JdbcTemplate.query(conn, sql, row -> row.getString(1));
            held.countDown();
            release.await(30, TimeUnit.SECONDS);
            conn.rollback();
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aBulkActionOfANodeThatDiedIsFinishedByAnother() {
        Node two = node("shop-2", event -> {
            throw new UnrecoverableException("boom");
        });
        List<String> ids = writeDead(two.outbox, 250);
        BulkJobs jobs = new BulkJobs(cluster());
        BulkJob begun = BulkJob.of(new BulkJob.Order(
                        UUID.randomUUID().toString(), Action.RESOLVE, Map.of(), 500, 250, true, "ann", Instant.now()))
                .takenBy(new BulkJob.Owner("gone", "shop-1"))
                .at(new BulkJob.Progress(3, 0, null));
        jobs.add(begun);

        await().atMost(PATIENCE)
                .until(() ->
                        bulk(two, begun.order().id()).get("state").getAsString().equals("DONE"));

        JsonObject ended = bulk(two, begun.order().id());
        assertThat(ended.get("node").getAsString()).isEqualTo("shop-2");
        assertThat(ended.get("done").getAsInt()).isEqualTo(3 + ids.size());
        assertThat(ended.get("perSecond").getAsInt()).isEqualTo(500);
        assertThat(two.get("/audit").toString()).contains("resolve-all-done", "\"who\":\"ann\"");
    }

    @Test
    void aBulkActionOnWaitingEventsIsLeftByNodesThatOnlyWrite() {
        Outbox writing = Outbox.writerOnly().backend(jdbc.backend()).build();
        Node writer = new Node(writing, OutboxAdmin.of(writing).pace(FAST).build(), null);
        opened.add(writer);
        String id = writeLater(writing);
        BulkJob job = BulkJob.of(new BulkJob.Order(
                UUID.randomUUID().toString(), Action.RETRY, Map.of(), null, 1, true, "ann", Instant.now()));
        new BulkJobs(cluster()).add(job);
        writer.post("/bulk/" + job.order().id() + "/resume"); // has it look for what nobody does

        Node delivering = node("shop-2");

        await().atMost(PATIENCE)
                .until(() -> !bulk(writer, job.order().id()).get("finishedAt").isJsonNull());
        JsonObject ended = bulk(writer, job.order().id());
        assertThat(ended.get("state").getAsString()).isEqualTo("DONE");
        assertThat(ended.get("node").getAsString()).isEqualTo("shop-2");
        await().atMost(PATIENCE)
                .until(() -> delivering.outbox.find(id).orElseThrow().state() == EventView.State.DONE);
    }

    /** Nodes take over from nodes that are silent only after an hour here, so they must be told. */
    private void takeOverLate() {
        pace = new Member.Pace(FAST.tick(), FAST.busyBeat(), FAST.restBeat(), Duration.ofHours(1), FAST.firstCleanUp());
    }

    @Test
    void aNodeThatOnlyWritesOrdersRetriesOfNodesThatDeliver() {
        takeOverLate();
        Outbox writing = Outbox.writerOnly().backend(jdbc.backend()).build();
        Node writer = new Node(writing, OutboxAdmin.of(writing).pace(pace).build(), null);
        opened.add(writer);
        String id = writeLater(writing);
        String order = "{\"action\":\"retry\",\"filter\":{}}";

        assertThat(writer.answer("POST", "/bulk", order).status())
                .as("nobody delivers")
                .isEqualTo(409);
        Node delivering = node("shop-2");
        AdminResponse begun = writer.answer("POST", "/bulk", order);

        assertThat(begun.status()).isEqualTo(202);
        await().atMost(PATIENCE)
                .until(() -> delivering.outbox.find(id).orElseThrow().state() == EventView.State.DONE);
    }

    @Test
    void aBulkActionOfANodeThatStopsContinuesOnAnother() {
        takeOverLate();
        Node one = node("shop-1", event -> {
            throw new UnrecoverableException("boom");
        });
        writeDead(one.outbox, 30);
        Node two = node("shop-2");
        String id = json(one.answer("POST", "/bulk", "{\"action\":\"resolve\",\"filter\":{},\"perSecond\":5}"))
                .get("id")
                .getAsString();
        await().atMost(PATIENCE).until(() -> bulk(two, id).get("done").getAsInt() > 0);

        one.close();

        await().atMost(PATIENCE)
                .until(() -> bulk(two, id).get("state").getAsString().equals("DONE"));
        assertThat(bulk(two, id).get("done").getAsInt()).isEqualTo(30);
    }

    @Test
    void aNodeSoonDeletesWhatNodesBeforeItLeftBehind() throws SQLException {
        ClusterBackend cluster = cluster();
        cluster.prepare();
        cluster.join("gone", "shop-0", "{}");
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "UPDATE outbox_event_node SET seen_at = DATEADD('DAY', -2, seen_at)");
        }
        long minute = Instant.now().getEpochSecond() / 60;
        cluster.addFigures(new ClusterFigures("gone", "shop-0", 1, minute - 1000, "{}"));
        cluster.addFigures(new ClusterFigures("gone", "shop-0", 15, minute / 15 - 1000, "{}"));
        pace = new Member.Pace(FAST.tick(), FAST.busyBeat(), FAST.restBeat(), FAST.silence(), Duration.ofMillis(100));

        node("shop-1");

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(cluster.nodes()).noneMatch(node -> node.name().equals("shop-0"));
            assertThat(cluster.figures(1, 0)).noneMatch(row -> row.nodeName().equals("shop-0"));
            assertThat(cluster.figures(15, 0)).noneMatch(row -> row.nodeName().equals("shop-0"));
        });
    }

    @Test
    void aNodeWithoutFiguresHearsOfAPauseSoonWhileItHasEventsInHand() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Outbox outbox = Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry().register("Order", "Placed", event -> {
                    held.countDown();
                    release.await();
                    return DispatchResult.done();
                }))
                .build();
        opened.add(outbox);
        opened.add(release::countDown);
        Member.Pace restless = new Member.Pace(
                Duration.ofMillis(20),
                Duration.ofMillis(40),
                Duration.ofHours(1),
                Duration.ofMinutes(1),
                Duration.ofHours(1));
        opened.add(OutboxAdmin.of(outbox).pace(restless).build());
        try (Transaction tx = jdbc.begin()) {
            outbox.writer()
                    .write(EventEnvelope.builder("Placed")
                            .aggregateType("Order")
                            .payloadJson("{}")
                            .build());
            tx.commit();
        }
        assertThat(held.await(30, TimeUnit.SECONDS)).isTrue();

        new Pauses(cluster(), Clock.systemUTC()).pause(null, null, "ann");

        await().atMost(PATIENCE).until(() -> outbox.state() == State.PAUSED);
    }

    @Test
    void aTypeBeyondThoseThatANodeCountsIsUnknownAndNotZero() {
        Node one = node("shop-1");
        ClusterBackend cluster = cluster();
        long minute = Instant.now().getEpochSecond() / 60;
        cluster.addFigures(new ClusterFigures("a", "node-a", 1, minute - 2, done(0, 30)));
        cluster.addFigures(new ClusterFigures("b", "node-b", 1, minute - 2, done(30, 60)));
        cluster.addFigures(new ClusterFigures("a", "node-a", 1, minute - 4, done(0, 60)));

        JsonArray slots = one.get("/series?minutes=10&eventType=Type-59").getAsJsonArray("items");

        assertThat(slotAt(slots, minute - 2).get("done").getAsInt()).isOne();
        assertThat(slotAt(slots, minute - 4).get("done").isJsonNull()).isTrue();
        assertThat(slotAt(slots, minute - 4).get("nodes").getAsInt()).isOne();
        List<JsonObject> types = one.get("/types").getAsJsonArray("items").asList().stream()
                .map(type -> type.getAsJsonObject())
                .toList();
        assertThat(types)
                .filteredOn(type -> type.get("eventType").getAsString().equals("Type-59"))
                .hasSize(1)
                .allMatch(type -> type.get("rates").isJsonNull());
        assertThat(types)
                .filteredOn(type -> type.get("eventType").getAsString().equals("Type-7"))
                .hasSize(1)
                .allMatch(type ->
                        type.getAsJsonObject("rates").get("donePerSecond").getAsDouble() > 0);
    }

    private static String done(int firstType, int endType) {
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        for (int i = firstType; i < endType; i++) {
            series.recordOutcome("Type-" + i, EventStatus.DONE);
        }
        return series.takeAll().get(0).figures().json();
    }

    @Test
    void aNodeThatWasFrozenDoesNotGoOnWithWhatAnotherHasTakenOver() {
        BulkJobs jobs = new BulkJobs(new MemoryCluster(Clock.systemUTC()));
        BulkJob job = BulkJob.of(new BulkJob.Order(
                "job", Action.DELETE, Map.of("eventType", "Placed"), null, 9, false, "ann", Instant.EPOCH));
        jobs.add(job);
        BulkJobs.Stored first = jobs.find("job").orElseThrow();
        assertThat(jobs.save(first, job.takenBy(new BulkJob.Owner("1", "shop-1"))))
                .isTrue();
        BulkJobs.Stored frozen = jobs.find("job").orElseThrow();
        assertThat(jobs.save(frozen, frozen.job().takenBy(new BulkJob.Owner("2", "shop-2"))))
                .isTrue();

        assertThat(jobs.save(frozen, frozen.job().at(new BulkJob.Progress(5, 1, "x"))))
                .isFalse();
        BulkJob current = jobs.find("job").orElseThrow().job();
        assertThat(current.owner().name()).isEqualTo("shop-2");
        assertThat(current.order()).isEqualTo(job.order());
    }

    @Test
    void figuresOfAllNodesAreSummedAndWhatIsNotKnownIsNull() {
        Node one = node("shop-1");
        ClusterBackend cluster = cluster();
        long minute = Instant.now().getEpochSecond() / 60;
        for (String node : List.of("a", "b")) {
            OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
            for (int i = 0; i < 60; i++) {
                series.recordOutcome("Placed", EventStatus.DONE);
                series.recordDispatchLatency("Placed", 10_000_000);
            }
            series.recordOutcome(LANE, EventStatus.RETRY);
            series.recordQueueDepths(2, 1);
            String content = series.takeAll().get(0).figures().json();
            cluster.addFigures(new ClusterFigures(node, "node-" + node, 1, minute - 2, content));
            cluster.addFigures(new ClusterFigures(node, "node-" + node, 15, minute / 15 - 4, content));
        }

        JsonArray slots = one.get("/series?minutes=10").getAsJsonArray("items");
        JsonObject known = slotAt(slots, minute - 2);
        assertThat(known.get("nodes").getAsInt()).isEqualTo(2);
        assertThat(known.get("done").getAsInt()).isEqualTo(120);
        assertThat(known.get("failed").getAsInt()).isEqualTo(2);
        assertThat(known.get("p99Ms").getAsInt()).isBetween(9, 11);
        assertThat(known.get("hotQueue").getAsInt()).isEqualTo(4);
        JsonObject unknown = slotAt(slots, minute - 7);
        assertThat(unknown.get("nodes").getAsInt()).isZero();
        assertThat(unknown.get("done").isJsonNull()).isTrue();
        assertThat(slotAt(one.get("/series?minutes=10&node=node-a").getAsJsonArray("items"), minute - 2)
                        .get("done")
                        .getAsInt())
                .isEqualTo(60);
        assertThat(slotAt(one.get("/series?minutes=10&eventType=" + LANE).getAsJsonArray("items"), minute - 2)
                        .get("failed")
                        .getAsInt())
                .isEqualTo(2);
        JsonArray week = one.get("/series?minutes=10080").getAsJsonArray("items");
        assertThat(week.size()).isLessThanOrEqualTo(100);
        assertThat(week.toString()).contains("\"done\":120");
        JsonObject rates = one.get("/types").getAsJsonArray("items").asList().stream()
                .map(type -> type.getAsJsonObject())
                .filter(type -> type.get("eventType").getAsString().equals("Placed"))
                .findFirst()
                .orElseThrow()
                .getAsJsonObject("rates");
        assertThat(rates.get("donePerSecond").getAsDouble()).isPositive();
    }

    private static JsonObject slotAt(JsonArray slots, long minute) {
        String at = Instant.ofEpochSecond(minute * 60).toString();
        return slots.asList().stream()
                .map(slot -> slot.getAsJsonObject())
                .filter(slot -> slot.get("at").getAsString().equals(at))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aNodeLeavesItsFiguresBehindWhenItStops() {
        Node one = node("shop-1");
        Node two = node("shop-2");
        two.series.recordOutcome("Placed", EventStatus.DONE);
        two.close();

        assertThat(cluster().figures(15, 0))
                .anyMatch(row -> row.nodeName().equals("shop-2")
                        && Figures.parse(row.content()).known("Placed").done() == 1);
        assertThat(one.get("/nodes").getAsJsonArray("items")).hasSize(1);
    }

    @Test
    void aNodeAtRestMakesOneCallForEachBeat() {
        List<String> calls = Collections.synchronizedList(new ArrayList<>());
        ClusterBackend cluster = cluster();
        cluster.prepare();
        ClusterBackend counted = (ClusterBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ClusterBackend.class}, (proxy, method, args) -> {
                    calls.add(method.getName());
                    try {
                        return method.invoke(cluster, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Outbox outbox = Outbox.writerOnly().backend(jdbc.backend()).build();
        opened.add(outbox);
        Member member = new Member(
                outbox,
                counted,
                "shop-1",
                new Membership.Settings(null, false, null, Clock.systemUTC(), FAST, PayloadMask.NONE));
        opened.add(member);
        member.start(() -> {});
        calls.clear();

        await().atMost(PATIENCE).until(() -> calls.size() >= 10);

        assertThat(new ArrayList<>(calls)).containsOnly("beat");
    }

    /** Returns a data source that adds what the thread of a node's beats executes to the list. */
    private DataSource seen(List<String> statements) {
        return Intercepted.dataSource(pool, call -> {
            if (call.executes("") && Thread.currentThread().getName().startsWith("outbox-member-")) {
                statements.add(call.sql());
            }
            return call.proceed();
        });
    }

    @Test
    void aNodeAtRestMakesAtMostSixStatementsAMinute() {
        List<String> statements = Collections.synchronizedList(new ArrayList<>());
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        Outbox outbox = Outbox.writerOnly()
                .backend(JdbcOutbox.of(seen(statements)).backend())
                .metrics(series)
                .build();
        opened.add(outbox);
        opened.add(OutboxAdmin.of(outbox).series(series).pace(FAST).build());
        await().atMost(PATIENCE).until(() -> statements.size() >= 20);

        List<String> others = new ArrayList<>(statements);
        others.removeIf(sql -> sql.startsWith("UPDATE outbox_event_node"));

        assertThat(others).as("rows of figures, one a minute").allMatch(sql -> sql.contains("outbox_event_figures"));
        long beatsInAMinute = Duration.ofMinutes(1).dividedBy(Member.Pace.USUAL.restBeat());
        assertThat(beatsInAMinute + 1).isLessThanOrEqualTo(6);
    }

    @Test
    void aNodeThatIsAloneMakesNoStatementsAndNoTables() throws SQLException {
        List<String> statements = Collections.synchronizedList(new ArrayList<>());
        Outbox outbox = Outbox.singleNode()
                .backend(JdbcOutbox.of(seen(statements)).backend())
                .listenerRegistry(new DefaultListenerRegistry())
                .startManually()
                .build();
        OutboxAdmin admin = OutboxAdmin.of(outbox).alone().pace(FAST).build();
        Node alone = new Node(outbox, admin, null);
        opened.add(alone);

        outbox.start();

        await().atMost(PATIENCE).until(() -> alone.get("/nodes").toString().contains("RUNNING"));
        assertThat(statements).isEmpty();
        try (Connection conn = pool.getConnection()) {
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT LOWER(table_name) FROM information_schema.tables WHERE table_schema = 'PUBLIC'",
                            row -> row.getString(1)))
                    .doesNotContain("outbox_event_node", "outbox_event_control", "outbox_event_figures");
        }
    }

    @Test
    void withoutTheTablesANodeIsAloneAndSaysWhy() throws Exception {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "CREATE TABLE outbox_event_node (node_id INT)");
        }
        Node alone;
        try (LogLines log = new LogLines(Membership.class)) {
            alone = node("shop-1");
            assertThat(log.lines()).anyMatch(line -> line.contains("cannot be used"));
        }

        assertThat(alone.get("/session").get("cluster").getAsBoolean()).isFalse();
        assertThat(alone.get("/session").get("clusterProblem").getAsString()).contains("cannot be used");
        assertThat(alone.post("/delivery/pause")).isEqualTo(204);
        assertThat(alone.outbox.state()).isEqualTo(State.PAUSED);
        assertThat(alone.get("/nodes").getAsJsonArray("items")).hasSize(1);
    }

    private ClusterBackend cluster() {
        return jdbc.backend().inspection().orElseThrow().cluster().orElseThrow();
    }

    private static JsonObject bulk(Node node, String id) {
        return node.get("/bulk/" + id);
    }

    private static String stateOf(Node node, String name) {
        return nodeOf(node, name).get("state").getAsString();
    }

    private static JsonObject nodeOf(Node node, String name) {
        return node.get("/nodes").getAsJsonArray("items").asList().stream()
                .map(each -> each.getAsJsonObject())
                .filter(each -> each.get("node").getAsString().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
