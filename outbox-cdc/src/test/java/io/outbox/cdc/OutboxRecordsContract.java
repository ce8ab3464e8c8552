package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.Subscription;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Records of {@link OutboxRecords}, read from the log of a real database. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class OutboxRecordsContract {

    private static final Transform TRANSFORM = Transform.OUTBOX_RECORDS;

    private final LoggedDatabase.Kind kind;
    private Capture capture;

    OutboxRecordsContract(LoggedDatabase.Kind kind) {
        this.kind = kind;
    }

    @BeforeAll
    void startCapture() {
        capture = new Capture(kind, TRANSFORM);
    }

    @AfterAll
    void closeCapture() {
        capture.close();
    }

    private String eventId(Wire sent) {
        return TRANSFORM.eventId(sent);
    }

    /** Everything that a row can hold, delivered in both ways: by our publisher, and from the log. */
    @Test
    void recordsAreThoseOfOurPublisher() {
        List<EventEnvelope> events = List.of(
                Capture.order().build(),
                Capture.order()
                        .payloadJson("{\"text\":\"Grüße 😀 \\u0000 漢字\"}")
                        .build(),
                Capture.order()
                        .payloadJson("{\"text\":\"" + "ü".repeat(250_000) + "\"}")
                        .build(),
                Capture.order().payloadJson("a NUL \0 in text").build(),
                Capture.order().payloadJson("").build(),
                binary(new byte[] {0, 1, 2, -1}),
                binary(new byte[0]),
                Capture.order().tombstone().build(),
                Capture.order().key("another key").build(),
                Capture.order().aggregateId(null).build(),
                Capture.order()
                        .tenantId("tenant")
                        .header("trace", "4711")
                        .header("empty", "")
                        .build(),
                Capture.order()
                        .header("outbox_bytes:schema", "AAEC/w==")
                        .header("outbox_bytes:nothing", "")
                        .build(),
                Capture.order()
                        .occurredAt(Instant.parse("2026-01-02T03:04:00Z"))
                        .build(),
                Capture.order()
                        .eventId(UUID.randomUUID().toString())
                        .occurredAt(Instant.parse("1969-12-31T23:59:59.999999Z"))
                        .build(),
                Capture.order().deliverAfter(Duration.ofMillis(300)).build(),
                EventEnvelope.ofJson("Ping", "{}"),
                EventEnvelope.builder("Subscribed")
                        .aggregateType("Order")
                        .aggregateId("s")
                        .payloadJson("{}")
                        .build());

        List<Wire> published = published(Duration.ofDays(1), events);

        assertThat(published).hasSize(events.size() + 1); // a row more for the subscription
        assertThat(published).extracting(Wire::topic).contains("Order.OrderPlaced", "Order.Subscribed", "other");
        List<Wire> captured = capture.allCaptured();
        assertThat(published).allSatisfy(record -> assertThat(captured).containsOnlyOnce(record));
        assertThat(captured)
                .filteredOn(record -> !"Marker".equals(record.header("outbox_event_type")))
                .extracting(this::eventId)
                .doesNotHaveDuplicates();
    }

    private static EventEnvelope binary(byte[] payload) {
        return EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("b")
                .payloadBytes(payload)
                .build();
    }

    /** Claims, outcomes and deletions change rows, and are no events, not even to a connector that is told of them. */
    @Test
    void whatDeliveryDoesToRowsIsNoEvent() {
        if (kind == LoggedDatabase.Kind.POSTGRESQL) {
            capture.execute("CREATE PUBLICATION everything FOR TABLE outbox_event");
        }
        try (Connector everything = capture.started("skipped.operations=none", "publication.name=everything")) {
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                events.add(Capture.order().deliverAfter(Duration.ofMillis(200)).build()); // not hot, so it is claimed
                events.add(Capture.order().build());
            }
            List<String> ids = events.stream().map(EventEnvelope::eventId).toList();

            published(Duration.ZERO, events);
            String changed = capture.write(Capture.order().build());
            capture.execute("UPDATE outbox_event SET status = 2, locked_by = 'me' WHERE event_id = '" + changed + "'");
            capture.execute("DELETE FROM outbox_event WHERE event_id = '" + changed + "'");

            assertThat(capture.allCaptured(everything))
                    .extracting(this::eventId)
                    .doesNotHaveDuplicates()
                    .containsAll(ids)
                    .contains(changed);
            assertThat(capture.allCaptured()).extracting(this::eventId).containsAll(ids);
        }
    }

    /** Writes events into the table and delivers them from there to a producer; returns what that was given. */
    private List<Wire> published(Duration retention, List<EventEnvelope> events) {
        capture.execute("UPDATE outbox_event SET status = 1, done_at = created_at"); // the rows of other tests
        try (MockProducer<byte[], byte[]> producer = producer("Order.OrderPlaced", "Order.Subscribed", "other");
                KafkaEventPublisher publisher = KafkaEventPublisher.builder()
                        .producer(producer)
                        .topic(event -> event.aggregateType().equals(AggregateType.GLOBAL.name())
                                ? "other"
                                : event.aggregateType() + "." + event.eventType())
                        .build();
                Outbox delivering = Outbox.multiNode()
                        .backend(capture.database.jdbc.backend())
                        .listenerRegistry(new DefaultListenerRegistry()
                                .register("Order", "OrderPlaced", publisher)
                                .register("Order", "Subscribed", publisher)
                                .register("Ping", publisher))
                        .subscribe(Subscription.of("mail", "Order", "Subscribed"), publisher)
                        .claimLocking(Duration.ofMinutes(1))
                        .purgeRetention(retention)
                        .intervalMs(50)
                        .build()) {
            try (Transaction tx = capture.database.jdbc.begin()) {
                delivering.writer().writeAll(events);
                tx.commit();
            }
            Set<String> ids =
                    Set.copyOf(events.stream().map(EventEnvelope::eventId).toList());
            await().atMost(Connector.PATIENCE)
                    .until(() ->
                            wire(producer).stream().map(this::eventId).toList().containsAll(ids));
            return wire(producer);
        }
    }

    private static List<Wire> wire(MockProducer<byte[], byte[]> producer) {
        return producer.history().stream()
                .map(record -> Wire.of(record.topic(), record.key(), record.value(), record.headers()))
                .toList();
    }

    private static MockProducer<byte[], byte[]> producer(String... topics) {
        Node node = new Node(1, "localhost", 1);
        List<PartitionInfo> partitions = new ArrayList<>();
        for (String topic : topics) {
            partitions.add(new PartitionInfo(topic, 0, node, new Node[] {node}, new Node[] {node}));
        }
        Cluster cluster = new Cluster("cluster", List.of(node), partitions, Set.of(), Set.of());
        return new MockProducer<>(cluster, true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** In writer-only use nothing is ever finished: rows go by age, read or not, and the log has them still. */
    @Test
    void aPurgeByAgeTakesNothingFromTheLog() {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            written.add(capture.write(EventEnvelope.ofJson("Purged", "{}")));
        }
        Outbox purging = Outbox.writerOnly()
                .backend(capture.database.jdbc.writerOnlyBackend())
                .purgeRetention(Duration.ofMillis(1))
                .purgeInitialDelay(Duration.ZERO)
                .purgeIntervalSeconds(1)
                .build();
        try {
            await().atMost(Connector.PATIENCE).until(() -> capture.count("Purged") == 0);
        } finally {
            purging.close();
        }

        assertThat(capture.allCaptured())
                .extracting(this::eventId)
                .doesNotHaveDuplicates()
                .containsSubsequence(written);
    }

    @Test
    void whatIsRolledBackIsNeverSeen() throws Exception {
        List<String> gone = List.of(
                capture.writeAndRollBack(Capture.order().build()),
                capture.writeAndRollBackToSavepoint(Capture.order().build()));

        assertThat(capture.allCaptured()).extracting(this::eventId).doesNotContainAnyElementsOf(gone);
    }

    @Test
    void eventsOfAKeyComeInTheOrderOfTheirCommits() {
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            written.add(capture.write(Capture.order().aggregateId("one").build()));
        }

        assertThat(capture.allCaptured())
                .filteredOn(record -> "one".equals(record.key()))
                .extracting(this::eventId)
                .containsExactlyElementsOf(written);
    }

    @Test
    void aDelayedEventIsSentRightAway() {
        Wire record = capture.captured(
                Capture.order().deliverAfter(Duration.ofDays(1)).build());

        assertThat(record.topic()).isEqualTo("Order.OrderPlaced");
    }

    @Test
    void rowsOfOthersNeedNoAggregateType() {
        Wire without = capture.captured(capture.insertForeign("NULL", "NULL"));
        Wire leftOut = capture.captured(capture.insertForeign("", "NULL"));
        Wire blank = capture.captured(capture.insertForeign("''", "NULL"));

        assertThat(List.of(without, leftOut, blank)).extracting(Wire::topic).containsOnly("other");
        assertThat(without.header("outbox_occurred_at")).isEqualTo("2026-01-02T03:04:05.678901Z");
        assertThat(without.header("outbox_aggregate_type")).isNull();
    }

    /** For an outbox that has delivered until now, and whose connector begins with what waits. */
    @Test
    void aSnapshotHasWhatIsNotFinished() {
        String waiting = capture.insertForeign("'Snapshot'", "NULL");
        String done = capture.insertForeign("'Snapshot'", "NULL");
        String dead = capture.insertForeign("'Snapshot'", "NULL");
        capture.execute("UPDATE outbox_event SET status = 1, done_at = created_at WHERE event_id = '" + done + "'");
        capture.execute("UPDATE outbox_event SET status = 3, done_at = created_at WHERE event_id = '" + dead + "'");

        try (Connector snapshot = capture.connector("snapshot.mode=initial")) {
            capture.captured(snapshot, waiting);
            capture.captured(snapshot, capture.write(Capture.order().build()));

            assertThat(snapshot.received().stream().map(TRANSFORM::sent))
                    .extracting(this::eventId)
                    .doesNotContain(done, dead);
        }
    }

    /** Where the table rests while others are written to, heartbeats are what moves the position in the log. */
    @Test
    void heartbeatsPass() {
        try (Connector beating = capture.started("heartbeat.interval.ms=100")) {
            SourceRecord heartbeat =
                    beating.await("a heartbeat", given -> given.topic().startsWith("__debezium-heartbeat"));

            assertThat(TRANSFORM.sent(heartbeat).value()).matches("\\{\"ts_ms\":\\d+}");
        }
    }

    @Test
    void aRowThatCannotBeReadStopsTheConnectorWithItsId() {
        try (Capture alone = new Capture(kind, TRANSFORM)) {
            String unreadable = alone.insertForeign("'Order'", "'no JSON'");

            assertThat(alone.connector.failure())
                    .hasStackTraceContaining(
                            "OutboxRecords cannot publish event " + unreadable + " of table outbox_event")
                    .hasStackTraceContaining("errors.tolerance=all");
        }
    }

    @Test
    void aTopicThatCannotBeStopsTheConnectorWithTheReason() {
        try (Capture alone = new Capture(kind, TRANSFORM)) {
            alone.insertForeign("'two words'", "NULL");

            assertThat(alone.connector.failure())
                    .hasStackTraceContaining("\"two words.Foreign\" cannot be the name of a topic");
        }
    }
}
