package io.outbox;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names of the headers under which an event's metadata travels with a broker message. */
public enum OutboxHeaders {
    EVENT_TYPE("outbox_event_type"),
    EVENT_ID("outbox_event_id"),
    AGGREGATE_TYPE("outbox_aggregate_type"),
    AGGREGATE_ID("outbox_aggregate_id"),
    TENANT_ID("outbox_tenant_id"),
    OCCURRED_AT("outbox_occurred_at"),
    /** The version of the payload; not sent with the first. */
    EVENT_VERSION("outbox_event_version");

    private static final Set<String> NAMES = Set.of(
            EVENT_TYPE.value,
            EVENT_ID.value,
            AGGREGATE_TYPE.value,
            AGGREGATE_ID.value,
            TENANT_ID.value,
            OCCURRED_AT.value,
            EVENT_VERSION.value);

    private final String value;

    OutboxHeaders(String value) {
        this.value = value;
    }

    /** Returns the header's name. */
    public String getValue() {
        return value;
    }

    /** Returns whether a header of this name is one of these. */
    static boolean isName(String header) {
        return NAMES.contains(header);
    }

    /**
     * Returns the headers to send with an event: those of this enum that the event has, then its own. A header of the
     * event never stands in for one of this enum, not even for an absent one.
     */
    public static Map<String, String> of(EventEnvelope event) {
        return of(event, Map.of());
    }

    /**
     * Returns the headers to send with an event as {@link #of(EventEnvelope)} does, but under other names.
     *
     * @param names the names of those that have another one; the empty name leaves a header out
     */
    public static Map<String, String> of(EventEnvelope event, Map<OutboxHeaders, String> names) {
        Map<String, String> headers = new LinkedHashMap<>();
        EVENT_ID.put(headers, names, event.eventId());
        EVENT_TYPE.put(headers, names, event.eventType());
        AGGREGATE_TYPE.put(headers, names, isOfAnAggregateType(event) ? event.aggregateType() : null);
        AGGREGATE_ID.put(headers, names, event.aggregateId());
        TENANT_ID.put(headers, names, event.tenantId());
        OCCURRED_AT.put(headers, names, text(event.occurredAt()));
        EVENT_VERSION.put(headers, names, event.version() == 1 ? null : String.valueOf(event.version()));
        event.headers().forEach((name, text) -> {
            if (text != null && !NAMES.contains(name) && !names.containsValue(name)) {
                headers.put(name, text);
            }
        });
        return headers;
    }

    /** The name for none is a matter of the table; consumers are spared it. */
    private static boolean isOfAnAggregateType(EventEnvelope event) {
        return !AggregateType.GLOBAL.name().equals(event.aggregateType());
    }

    /** As {@link Instant#toString} writes it, which takes three times as long. */
    private static String text(Instant time) {
        LocalDateTime utc = LocalDateTime.ofEpochSecond(time.getEpochSecond(), time.getNano(), ZoneOffset.UTC);
        boolean hasSeconds = utc.getSecond() != 0 || utc.getNano() != 0;
        return hasSeconds ? utc + "Z" : time.toString();
    }

    private void put(Map<String, String> headers, Map<OutboxHeaders, String> names, @Nullable String text) {
        String name = names.getOrDefault(this, value);
        if (text != null && !name.isEmpty()) {
            headers.put(name, text);
        }
    }
}
