package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.data.Timestamp;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.transforms.Transformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings, and records that no database of ours makes. */
class OutboxRecordsTest {

    private static final long TIME = 1_767_323_045_678_901L;

    private final OutboxRecords<SourceRecord> transform = new OutboxRecords<>();

    @Test
    void isFoundByTheWorkersOfKafkaConnect() {
        assertThat(ServiceLoader.load(Transformation.class).stream().map(ServiceLoader.Provider::type))
                .contains(OutboxRecords.class);
    }

    @Test
    void aTopicIsRequired() {
        assertThatThrownBy(() -> configure(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("\"topic\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''              | must not be blank
            {aggregate}     | unknown placeholder {aggregate}
            two words       | cannot be the name of a topic
            {eventType      | cannot be the name of a topic
            ..              | cannot be the name of a topic
            """)
    void aWrongTopicIsRefusedWithTheReason(String topic, String reason) {
        assertThatThrownBy(() -> configure(Map.of("topic", topic)))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("topic")
                .hasMessageContaining(reason);
    }

    /** Kafka Connect asks for this when a connector is created, before anything runs. */
    @Test
    void theDefinitionKnowsWhatIsWrong() {
        Map<String, String> wrong = Map.of("topic", "{type}", "topic.default", "{aggregateType}");

        Map<String, ConfigValue> found = transform.config().validateAll(wrong);

        assertThat(found.get("topic").errorMessages())
                .singleElement()
                .asString()
                .contains("{type}");
        assertThat(found.get("topic.default").errorMessages())
                .singleElement()
                .asString()
                .contains("cannot have {aggregateType}");
    }

    @Test
    void aTopicByAggregateTypeNeedsOneForEventsWithoutIt() {
        assertThatThrownBy(() -> configure(Map.of("topic", "{aggregateType}")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("topic.default")
                .hasMessageContaining("events without an aggregate type need a topic too");
        assertThat(configured("events").apply(inserted(row(Map.of()))).topic()).isEqualTo("events");
    }

    @Test
    void topicsAreMadeOfTypes() {
        configure(Map.of("topic", "shop.{aggregateType}-{eventType}", "topic.default", "shop.{eventType}"));

        assertThat(transform
                        .apply(inserted(row(Map.of("aggregate_type", "Order"))))
                        .topic())
                .isEqualTo("shop.Order-OrderPlaced");
        assertThat(transform
                        .apply(inserted(row(Map.of("aggregate_type", "__GLOBAL__"))))
                        .topic())
                .isEqualTo("shop.OrderPlaced");
    }

    /** The offset of a record is that of the change, or the connector would not know where it was. */
    @Test
    void thePositionInTheLogStays() {
        SourceRecord change = inserted(row(Map.of()));

        SourceRecord record = configured("events").apply(change);

        assertThat(record.sourceOffset()).isEqualTo(change.sourceOffset());
        assertThat(record.sourcePartition()).isEqualTo(change.sourcePartition());
        assertThat(record.timestamp()).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "io.debezium.time.Timestamp, 1767323045678, 2026-01-02T03:04:05.678Z",
        "io.debezium.time.MicroTimestamp, 1767323045678901, 2026-01-02T03:04:05.678901Z",
        "io.debezium.time.NanoTimestamp, 1767323045678901234, 2026-01-02T03:04:05.678901Z"
    })
    void timesAreUnderstood(String schema, long time, String expected) {
        Schema kind = SchemaBuilder.int64().name(schema).build();

        SourceRecord record = configured("events").apply(inserted(row(kind, time, Map.of())));

        assertThat(record.headers().lastWithName("outbox_occurred_at").value())
                .isEqualTo(expected.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    @Test
    void timesThatHaveLostTheirMicrosecondsAreRefused() {
        Struct row = row(Timestamp.SCHEMA, new Date(TIME / 1000), Map.of());

        assertThatThrownBy(() -> configured("events").apply(inserted(row)))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("event e-1 of table outbox_event")
                .hasMessageContaining("time.precision.mode");
    }

    @Test
    void aTableThatIsNoOutboxIsRefused() {
        Schema schema =
                SchemaBuilder.struct().field("name", Schema.STRING_SCHEMA).build();

        assertThatThrownBy(() -> configured("events").apply(inserted(new Struct(schema).put("name", "x"))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("so it is not an outbox table")
                .hasMessageContaining("table.include.list");
    }

    /** Were it dropped, all events would be lost without a word. */
    @Test
    void aRowThatAnotherTransformHasUnwrappedIsRefused() {
        assertThatThrownBy(() -> configured("events").apply(record(row(Map.of()))))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("ExtractNewRecordState");
        assertThatThrownBy(() -> configured("events").apply(record("text"))).isInstanceOf(DataException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"u", "d", "t", "m"})
    void otherChangesAreDropped(String operation) {
        assertThat(configured("events").apply(change(operation, row(Map.of())))).isNull();
    }

    @Test
    void whatConnectorsTellBesideRowsIsDropped() {
        for (String kind : new String[] {"common.TransactionMetadataValue", "mysql.SchemaChangeValue"}) {
            Schema schema =
                    SchemaBuilder.struct().name("io.debezium.connector." + kind).build();
            assertThat(configured("events").apply(record(new Struct(schema)))).isNull();
        }
        assertThat(configured("events").apply(record(null))).isNull();
    }

    private void configure(Map<String, String> settings) {
        transform.configure(settings);
    }

    private OutboxRecords<SourceRecord> configured(String topic) {
        configure(Map.of("topic", topic));
        return transform;
    }

    private static Struct row(Map<String, Object> values) {
        Schema micros =
                SchemaBuilder.int64().name("io.debezium.time.MicroTimestamp").build();
        return row(micros, TIME, values);
    }

    private static Struct row(Schema time, Object createdAt, Map<String, Object> values) {
        SchemaBuilder schema = SchemaBuilder.struct();
        Map<String, Object> all =
                new HashMap<>(Map.of("event_id", "e-1", "event_type", "OrderPlaced", "payload", "{}"));
        all.putAll(values);
        String[] columns = {
            "event_id", "event_type", "aggregate_type", "aggregate_id", "tenant_id", "payload", "headers"
        };
        for (String column : columns) {
            schema.field(column, Schema.OPTIONAL_STRING_SCHEMA);
        }
        Struct row = new Struct(schema.field("created_at", time).build());
        all.forEach(row::put);
        return row.put("created_at", createdAt);
    }

    private static SourceRecord inserted(Struct row) {
        return change("c", row);
    }

    private static SourceRecord change(String operation, Struct row) {
        Schema source =
                SchemaBuilder.struct().field("table", Schema.STRING_SCHEMA).build();
        Schema envelope = SchemaBuilder.struct()
                .name("shop.public.outbox_event.Envelope")
                .field("op", Schema.STRING_SCHEMA)
                .field("after", row.schema())
                .field("source", source)
                .build();
        return record(new Struct(envelope)
                .put("op", operation)
                .put("after", row)
                .put("source", new Struct(source).put("table", "outbox_event")));
    }

    private static SourceRecord record(Object value) {
        Schema schema = value instanceof Struct struct ? struct.schema() : null;
        return new SourceRecord(Map.of("server", "shop"), Map.of("lsn", 1L), "shop.public.outbox_event", schema, value);
    }
}
