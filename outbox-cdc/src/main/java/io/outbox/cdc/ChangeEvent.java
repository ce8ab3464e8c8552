package io.outbox.cdc;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.jspecify.annotations.Nullable;

/**
 * What Debezium tells of one change of a table. Values are recognized by their schemas, so that no class of Debezium is
 * needed.
 */
final class ChangeEvent {

    private static final String HEARTBEAT = "io.debezium.connector.common.Heartbeat";
    /** What connectors tell beside changes of rows, if they are asked to. */
    private static final Set<String> OTHER_KINDS =
            Set.of("TransactionMetadataValue", "SchemaChangeValue", "Notification");

    private static final Set<String> NEW_ROW = Set.of("c", "r");
    private static final String OPERATION = "op";
    private static final String AFTER = "after";

    private final @Nullable Struct value;

    private ChangeEvent(@Nullable Struct value) {
        this.value = value;
    }

    /** @throws DataException if the value is nothing that comes from Debezium as it is */
    static ChangeEvent of(@Nullable Object value) {
        if (value == null) {
            return new ChangeEvent(null);
        }
        if (value instanceof Struct struct && (isRowChange(struct) || isHeartbeat(struct) || isOfOtherKind(struct))) {
            return new ChangeEvent(struct);
        }
        throw new DataException(
                "this is not a change event of Debezium (it has no field \"op\"). Apply OutboxRecords to the"
                        + " records of the connector as they are, without another transform such as ExtractNewRecordState"
                        + " before it");
    }

    private static boolean isRowChange(Struct struct) {
        return struct.schema().field(OPERATION) != null;
    }

    private static boolean isHeartbeat(Struct struct) {
        return HEARTBEAT.equals(struct.schema().name());
    }

    private static boolean isOfOtherKind(Struct struct) {
        String name = struct.schema().name();
        return name != null && OTHER_KINDS.contains(name.substring(name.lastIndexOf('.') + 1));
    }

    /** Returns whether this only says how far the connector has read. */
    boolean isHeartbeat() {
        return value != null && isHeartbeat(value);
    }

    /** Returns when a heartbeat was made, in milliseconds since the epoch. */
    long heartbeatTime() {
        return Objects.requireNonNull(value).getInt64("ts_ms");
    }

    /** Returns whether a row was inserted, or found by a snapshot, that is not finished yet. */
    boolean isPendingEvent() {
        return value != null
                && isRowChange(value)
                && NEW_ROW.contains(value.getString(OPERATION))
                && !isFinished(value.getStruct(AFTER));
    }

    private static boolean isFinished(Struct row) {
        Object status = row.schema().field("status") == null ? null : row.get("status");
        return status instanceof Number code
                && (code.intValue() == EventStatus.DONE.code() || code.intValue() == EventStatus.DEAD.code());
    }

    /** @throws DataException if the table is not an outbox table */
    @SuppressWarnings("NullAway") // a damaged row may lack any part
    OutboxEvent row() {
        Struct row = Objects.requireNonNull(value).getStruct(AFTER);
        Instant createdAt = time(row, "created_at");
        return new OutboxEvent(
                text(row, "event_id"),
                text(row, "event_type"),
                text(row, "aggregate_type"),
                text(row, "aggregate_id"),
                text(row, "tenant_id"),
                text(row, "payload"),
                text(row, "headers"),
                0,
                createdAt,
                createdAt);
    }

    private static @Nullable String text(Struct row, String column) {
        Object value = row.get(column(row, column));
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw new DataException("column " + column + " is not text but " + describe(row, column)
                + ". Leave the connector's settings for columns and converters at their defaults");
    }

    /** Times of the table are UTC to the microsecond; of all representations, those that keep that are understood. */
    private static @Nullable Instant time(Struct row, String column) {
        Field field = column(row, column);
        Object value = row.get(field);
        if (value == null) {
            return null;
        }
        String kind = field.schema().name();
        if (kind != null && value instanceof Long time) {
            switch (kind) {
                case "io.debezium.time.Timestamp":
                    return Instant.EPOCH.plus(time, ChronoUnit.MILLIS);
                case "io.debezium.time.MicroTimestamp":
                    return Instant.EPOCH.plus(time, ChronoUnit.MICROS);
                case "io.debezium.time.NanoTimestamp":
                    return Instant.EPOCH.plus(time, ChronoUnit.NANOS).truncatedTo(ChronoUnit.MICROS);
                default:
            }
        }
        throw new DataException("column " + column + " is not a time in microseconds but " + describe(row, column)
                + ". Leave the connector's time.precision.mode at its default");
    }

    private static Field column(Struct row, String column) {
        Field field = row.schema().field(column);
        if (field == null) {
            throw new DataException(
                    "the table has no column " + column + ", so it is not an outbox table. Capture only the"
                            + " outbox table (table.include.list), or limit the transform to it with a predicate");
        }
        return field;
    }

    private static String describe(Struct row, String column) {
        Field field = row.schema().field(column);
        String name = field.schema().name();
        return name == null ? field.schema().type().toString() : name;
    }

    /** Returns which row of which table this is about, for messages. */
    @Override
    public String toString() {
        if (value == null || !isRowChange(value) || value.getStruct(AFTER) == null) {
            return "a record";
        }
        Struct row = value.getStruct(AFTER);
        Object id = row.schema().field("event_id") == null ? null : row.get("event_id");
        return (id == null ? "a row" : "event " + id) + " of table " + table(value);
    }

    private static String table(Struct value) {
        Object source = value.schema().field("source") == null ? null : value.get("source");
        Object table =
                source instanceof Struct struct && struct.schema().field("table") != null ? struct.get("table") : null;
        return String.valueOf(table);
    }
}
