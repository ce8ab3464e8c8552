package io.outbox.cdc;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.converters.ByteArrayConverter;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.apache.kafka.connect.storage.StringConverter;

/** A transform with its settings and converters, as docs/cdc.md has them. */
enum Transform {
    OUTBOX_RECORDS(
            List.of(
                    "transforms=outbox",
                    "transforms.outbox.type=io.outbox.cdc.OutboxRecords",
                    "transforms.outbox.topic={aggregateType}.{eventType}",
                    "transforms.outbox.topic.default=other"),
            new ByteArrayConverter(),
            new ByteArrayConverter(),
            "outbox_event_id"),

    EVENT_ROUTER(
            List.of(
                    "transforms=outbox",
                    "transforms.outbox.type=io.debezium.transforms.outbox.EventRouter",
                    "transforms.outbox.table.field.event.id=event_id",
                    "transforms.outbox.table.field.event.key=aggregate_id",
                    "transforms.outbox.table.field.event.payload=payload",
                    "transforms.outbox.table.field.event.timestamp=created_at",
                    "transforms.outbox.table.fields.additional.placement=event_type:header:outbox_event_type,"
                            + "tenant_id:header:outbox_tenant_id,headers:header:outbox_headers",
                    "transforms.outbox.route.by.field=aggregate_type",
                    "transforms.outbox.route.topic.replacement=${routedByValue}"),
            new StringConverter(),
            new SimpleHeaderConverter(),
            "id");

    private final List<String> settings;
    private final Converter converter;
    private final HeaderConverter headerConverter;
    private final String idHeader;

    Transform(List<String> settings, Converter converter, HeaderConverter headerConverter, String idHeader) {
        this.settings = settings;
        this.converter = converter;
        this.headerConverter = headerConverter;
        this.idHeader = idHeader;
        converter.configure(Map.of(), false);
        headerConverter.configure(Map.of());
    }

    List<String> settings() {
        return settings;
    }

    /** Returns what a worker sends for a record. */
    Wire sent(SourceRecord given) {
        return Wire.of(given, converter, converter, headerConverter);
    }

    String eventId(Wire sent) {
        return sent.header(idHeader);
    }
}
