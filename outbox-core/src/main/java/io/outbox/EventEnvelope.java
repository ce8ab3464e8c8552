package io.outbox;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.Limits;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An event with everything that is stored and delivered with it. Immutable and thread-safe.
 *
 * <p>The payload is opaque: a listener sees exactly the text or the bytes that were written. {@link #toString()} leaves
 * payload and headers out, so that an envelope may be logged.
 *
 * <p>An envelope that an {@link Outbox} delivers is read by the codec of that outbox. The codec is no part of the
 * event: it is neither stored nor compared.
 */
public final class EventEnvelope {

    /** The largest payload, in bytes; text is measured in UTF-8. */
    public static final int MAX_PAYLOAD_BYTES = 1_048_576;

    /** What a tombstone's payload reads as. */
    static final String NO_PAYLOAD = "null";

    private static final Pattern UUID = Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final int MAX_EVENT_ID = 36;
    static final int MAX_EVENT_TYPE = 128;
    private static final int MAX_AGGREGATE_TYPE = 64;
    private static final int MAX_AGGREGATE_ID = 128;
    private static final int MAX_TENANT_ID = 64;
    private static final int MAX_KEY = 255;

    private final String eventId;
    private final String originId;
    private final String eventType;
    private final Instant occurredAt;
    private final String aggregateType;
    private final @Nullable String aggregateId;
    private final @Nullable String tenantId;
    /** The message key, or {@code null} for the aggregate id. */
    private final @Nullable String ownKey;

    private final Map<String, @Nullable String> headers;
    private final @Nullable String payloadJson;
    private final byte @Nullable [] payloadBytes;
    private final boolean tombstone;
    private final @Nullable Instant availableAt;
    private final boolean optional;
    /** The version of the payload, or 0 if nobody has stated it. */
    private final int version;
    /** What reads the payload, or {@code null} for the default of the moment. */
    private final @Nullable JsonCodec codec;

    private EventEnvelope(Builder builder) {
        this.eventId = builder.eventId != null ? builder.eventId : Ulid.next();
        this.originId = builder.originId != null ? builder.originId : eventId;
        this.eventType = builder.eventType;
        this.occurredAt = builder.occurredAt != null ? builder.occurredAt : micros(Instant.now());
        this.aggregateType = builder.aggregateType;
        this.aggregateId = builder.aggregateId;
        this.tenantId = builder.tenantId;
        this.ownKey = Objects.equals(builder.key, aggregateId) ? null : builder.key;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(builder.headers));
        this.payloadJson = builder.payloadJson;
        this.payloadBytes = builder.payloadBytes;
        this.tombstone = builder.tombstone;
        this.availableAt = builder.deliverAfter != null ? occurredAt.plus(builder.deliverAfter) : builder.availableAt;
        this.optional = builder.optional;
        this.version = builder.version;
        this.codec = builder.codec;
    }

    /** The same event, with which it shares all parts. */
    private EventEnvelope(EventEnvelope event, JsonCodec codec) {
        this.eventId = event.eventId;
        this.originId = event.originId;
        this.eventType = event.eventType;
        this.occurredAt = event.occurredAt;
        this.aggregateType = event.aggregateType;
        this.aggregateId = event.aggregateId;
        this.tenantId = event.tenantId;
        this.ownKey = event.ownKey;
        this.headers = event.headers;
        this.payloadJson = event.payloadJson;
        this.payloadBytes = event.payloadBytes;
        this.tombstone = event.tombstone;
        this.availableAt = event.availableAt;
        this.optional = event.optional;
        this.version = event.version;
        this.codec = codec;
    }

    private static Instant micros(Instant time) {
        return time.truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Returns this event with its times in microseconds, as a store keeps them: what is written is what is delivered,
     * hot or cold.
     */
    EventEnvelope asStored() {
        Instant due = availableAt == null ? null : micros(availableAt);
        if (occurredAt.equals(micros(occurredAt)) && Objects.equals(availableAt, due)) {
            return this;
        }
        Builder builder = copyAs(eventType);
        builder.occurredAt = micros(occurredAt);
        builder.availableAt = due;
        return new EventEnvelope(builder);
    }

    public static Builder builder(String eventType) {
        return new Builder(eventType);
    }

    public static Builder builder(EventType eventType) {
        return new Builder(Objects.requireNonNull(eventType, "eventType").name());
    }

    public static EventEnvelope ofJson(String eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
        return builder(eventType).payloadJson(payloadJson).build();
    }

    /**
     * Rebuilds the envelope that was stored as {@code row}. The rules that bind a writer are not applied again: what
     * was stored is delivered.
     *
     * @throws PayloadParseException if a required part is missing or the headers cannot be read
     */
    public static EventEnvelope restore(OutboxEvent row) {
        if (row.eventId() == null || row.eventType() == null || row.payloadJson() == null || row.createdAt() == null) {
            throw new PayloadParseException(
                    "event " + row.eventId() + " lacks a required column (event_type, payload or created_at is null)");
        }
        Builder builder = new Builder(row.eventType());
        builder.eventId = row.eventId();
        builder.occurredAt = row.createdAt();
        builder.aggregateType = row.aggregateType() != null ? row.aggregateType() : AggregateType.GLOBAL.name();
        builder.aggregateId = row.aggregateId();
        builder.tenantId = row.tenantId();
        StoredForm.Content content = StoredForm.read(row);
        builder.headers.putAll(content.headers());
        builder.payloadJson = content.payload().text();
        builder.payloadBytes = content.payload().bytes();
        builder.tombstone = content.payload().tombstone();
        builder.key = content.key();
        builder.availableAt = content.availableAt();
        builder.originId = content.originId();
        builder.optional = content.optional();
        builder.version = content.version();
        return new EventEnvelope(builder);
    }

    /** Returns this event with a payload that the given codec reads, as when an outbox delivers it. */
    public EventEnvelope readBy(JsonCodec codec) {
        return new EventEnvelope(this, Objects.requireNonNull(codec, "codec"));
    }

    /** Returns an event of another type that has everything else that this one has. */
    public EventEnvelope withEventType(String eventType) {
        return new EventEnvelope(
                copyAs(Check.atMost(Check.notBlank(eventType, "eventType"), MAX_EVENT_TYPE, "eventType")));
    }

    /** Returns the same event, to be {@linkplain #isOptional() finished without a listener} if it has none. */
    public EventEnvelope asOptional() {
        Builder builder = copyAs(eventType);
        builder.optional = true;
        return new EventEnvelope(builder);
    }

    /** Returns the same event with its payload in another version, as an {@link Upcaster} makes it, however large. */
    public EventEnvelope upcastTo(int version, String payloadJson) {
        Builder builder = copyAs(eventType).version(version);
        builder.payloadJson = Objects.requireNonNull(payloadJson, "payloadJson");
        builder.payloadBytes = null;
        return new EventEnvelope(builder);
    }

    /**
     * Returns the same event with its binary payload in another version, as an {@link Upcaster} makes it, however
     * large.
     */
    public EventEnvelope upcastTo(int version, byte[] payloadBytes) {
        Builder builder = copyAs(eventType).version(version);
        builder.payloadBytes = payloadBytes.clone();
        builder.payloadJson = null;
        return new EventEnvelope(builder);
    }

    /** Returns a builder with everything that this envelope has; a new payload or due time replaces the old one. */
    public Builder toBuilder() {
        return copyAs(eventType);
    }

    private Builder copyAs(String type) {
        Builder builder = new Builder(type);
        builder.eventId = eventId;
        builder.originId = originId.equals(eventId) ? null : originId;
        builder.occurredAt = occurredAt;
        builder.aggregateType = aggregateType;
        builder.aggregateId = aggregateId;
        builder.tenantId = tenantId;
        builder.headers.putAll(headers);
        builder.payloadJson = payloadJson;
        builder.payloadBytes = payloadBytes;
        builder.tombstone = tombstone;
        builder.key = ownKey;
        builder.availableAt = availableAt;
        builder.optional = optional;
        builder.version = version;
        builder.codec = codec;
        builder.copied = true;
        return builder;
    }

    /** Returns the id that no other event has, and that stays the same however often this one is delivered. */
    public String eventId() {
        return eventId;
    }

    /**
     * Returns the id of the event that was written, for a listener with a {@link Subscription}: its own share of the
     * event has the id {@link #eventId()}, as that of each other subscription has another one. For all others the same
     * id.
     */
    public String originId() {
        return originId;
    }

    public String eventType() {
        return eventType;
    }

    public Instant occurredAt() {
        return occurredAt;
    }

    public String aggregateType() {
        return aggregateType;
    }

    /** Returns the aggregate's id, if the event is about one. */
    public @Nullable String aggregateId() {
        return aggregateId;
    }

    /** Returns the tenant, if there is one. */
    public @Nullable String tenantId() {
        return tenantId;
    }

    /**
     * Returns the message key where a broker has keys: the one given, or else the aggregate id; {@code null} if neither
     * is.
     */
    public @Nullable String key() {
        return ownKey != null ? ownKey : aggregateId;
    }

    /** Returns the message key if it is another one than the aggregate id, or else {@code null}. */
    @Nullable
    String ownKey() {
        return ownKey;
    }

    /** Returns the headers in the order they were added; unmodifiable. */
    public Map<String, @Nullable String> headers() {
        return headers;
    }

    /** Returns the payload text, or {@code null} if the payload is binary. */
    public @Nullable String payloadJson() {
        return payloadJson;
    }

    /** Returns a copy of the payload's bytes; of a text payload, its UTF-8 form. */
    public byte[] payloadBytes() {
        return payloadBytes != null ? payloadBytes.clone() : text().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns how long payload and headers are together: text in characters, a binary payload in bytes. */
    public long contentLength() {
        long length = payloadBytes != null ? payloadBytes.length : text().length();
        for (Map.Entry<String, String> header : headers.entrySet()) {
            length += header.getKey().length()
                    + (header.getValue() == null ? 0 : header.getValue().length());
        }
        return length;
    }

    /** Returns whether the payload was given as bytes. */
    public boolean isBinary() {
        return payloadBytes != null;
    }

    /**
     * Returns whether the event is a tombstone: it has no payload and means that the object with its key was deleted.
     * Its payload reads as the JSON {@code null}.
     */
    public boolean isTombstone() {
        return tombstone;
    }

    /**
     * Returns the payload, read by the codec of the outbox that delivers the event, or else by the
     * {@linkplain JsonCodec#getDefault() default codec}.
     *
     * @throws IllegalStateException if the payload is binary, or there is no codec
     * @throws PayloadParseException if the payload does not fit the type
     */
    public <T> T payload(Class<T> type) {
        return codecFor(type).fromJson(text(), type);
    }

    /**
     * Returns the payload as {@link #payload(Class)} does, for types with parameters such as {@code List<Order>}.
     * Nothing checks that the type is what the caller assigns it to.
     *
     * @throws UnsupportedOperationException if the codec reads classes only
     */
    public <T> T payload(Type type) {
        return codecFor(type).fromJson(text(), type);
    }

    /** Returns the payload of an event that is not binary. */
    private String text() {
        return Objects.requireNonNull(payloadJson);
    }

    private JsonCodec codecFor(Type type) {
        Objects.requireNonNull(type, "type");
        if (isBinary()) {
            throw new IllegalStateException("the payload of event " + eventId + " is binary; use payloadBytes()");
        }
        return codec != null ? codec : JsonCodec.getDefault();
    }

    /** Returns the instant before which the event is not delivered, or {@code null} if it is due immediately. */
    public @Nullable Instant availableAt() {
        return availableAt;
    }

    /** Returns whether the event is to be delivered later than it occurred. */
    public boolean isDelayed() {
        return availableAt != null && availableAt.isAfter(occurredAt);
    }

    /**
     * Returns whether the event is done if it has no listener; any other would be dead. An event with {@link
     * Subscription}s is written like this as long as a further listener of its route may still be registered.
     */
    public boolean isOptional() {
        return optional;
    }

    /**
     * Returns the version of the payload: which one of those that its event type has had, from 1 on. See {@link
     * Upcaster}.
     */
    public int version() {
        return Math.max(1, version);
    }

    /** Returns whether the version was stated; otherwise an outbox writes the event with the version of its type. */
    public boolean statesVersion() {
        return version > 0;
    }

    /** Returns the text for a payload column. */
    public String storedPayload() {
        return StoredForm.payload(this);
    }

    /** Returns the JSON object for a headers column, or {@code null} if there is nothing to store. */
    public @Nullable String storedHeaders() {
        return StoredForm.headers(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EventEnvelope that
                && eventId.equals(that.eventId)
                && originId.equals(that.originId)
                && eventType.equals(that.eventType)
                && occurredAt.equals(that.occurredAt)
                && aggregateType.equals(that.aggregateType)
                && Objects.equals(aggregateId, that.aggregateId)
                && Objects.equals(tenantId, that.tenantId)
                && headers.equals(that.headers)
                && Objects.equals(ownKey, that.ownKey)
                && tombstone == that.tombstone
                && optional == that.optional
                && version() == that.version()
                && Objects.equals(payloadJson, that.payloadJson)
                && Arrays.equals(payloadBytes, that.payloadBytes)
                && Objects.equals(availableAt, that.availableAt);
    }

    @Override
    public int hashCode() {
        return eventId.hashCode();
    }

    @Override
    public String toString() {
        return "EventEnvelope[eventId=" + eventId + ", eventType=" + eventType + ", aggregateType=" + aggregateType
                + ", aggregateId=" + aggregateId + ", tenantId=" + tenantId + ", occurredAt=" + occurredAt
                + ", availableAt=" + availableAt + "]";
    }

    /** Builds an {@link EventEnvelope}. Not thread-safe. */
    public static final class Builder {

        private final String eventType;
        private @Nullable String eventId;
        private @Nullable String originId;
        private @Nullable Instant occurredAt;
        private String aggregateType = AggregateType.GLOBAL.name();
        private @Nullable String aggregateId;
        private @Nullable String tenantId;
        private @Nullable String key;
        private final Map<String, @Nullable String> headers = new LinkedHashMap<>();
        private @Nullable String payloadJson;
        private byte @Nullable [] payloadBytes;
        private boolean tombstone;
        private @Nullable Instant availableAt;
        private @Nullable Duration deliverAfter;
        private boolean optional;
        private int version;
        private @Nullable JsonCodec codec;
        private boolean copied;

        private Builder(String eventType) {
            this.eventType = Objects.requireNonNull(eventType, "eventType");
        }

        /** Default: a new ULID. An event with another id than the one copied is the origin of itself. */
        public Builder eventId(String eventId) {
            this.eventId = Check.atMost(Check.notBlank(eventId, "eventId"), MAX_EVENT_ID, "eventId");
            this.originId = null;
            return this;
        }

        /**
         * Gives the event a new id of the kind that another one has: a UUID of version 7 for a UUID, and else a ULID.
         */
        public Builder newEventIdLike(String other) {
            return eventId(UUID.matcher(other).matches() ? UuidV7.next() : Ulid.next());
        }

        /** The id of the event that this one stands for, to be set after its own. Default: its own. */
        public Builder originId(String originId) {
            this.originId = Check.atMost(Check.notBlank(originId, "originId"), MAX_EVENT_ID, "originId");
            return this;
        }

        /** Default: now. Stored, and so delivered, in microseconds. */
        public Builder occurredAt(Instant occurredAt) {
            this.occurredAt = Objects.requireNonNull(occurredAt, "occurredAt");
            return this;
        }

        /** Default: {@link AggregateType#GLOBAL}. */
        public Builder aggregateType(String aggregateType) {
            Check.notBlank(aggregateType, "aggregateType");
            this.aggregateType = Check.atMost(aggregateType, MAX_AGGREGATE_TYPE, "aggregateType");
            return this;
        }

        public Builder aggregateType(AggregateType aggregateType) {
            return aggregateType(
                    Objects.requireNonNull(aggregateType, "aggregateType").name());
        }

        public Builder aggregateId(@Nullable String aggregateId) {
            this.aggregateId = aggregateId == null ? null : Check.atMost(aggregateId, MAX_AGGREGATE_ID, "aggregateId");
            return this;
        }

        public Builder tenantId(@Nullable String tenantId) {
            this.tenantId = tenantId == null ? null : Check.atMost(tenantId, MAX_TENANT_ID, "tenantId");
            return this;
        }

        /** The message key where a broker has keys. Default: the aggregate id. */
        public Builder key(@Nullable String key) {
            this.key = key == null ? null : Check.atMost(key, MAX_KEY, "key");
            return this;
        }

        /** Replaces all headers by a copy of the given ones. */
        public Builder headers(Map<String, @Nullable String> headers) {
            Objects.requireNonNull(headers, "headers");
            this.headers.clear();
            headers.forEach(this::header);
            return this;
        }

        /** Adds or replaces one header. */
        public Builder header(String name, @Nullable String value) {
            if (name == null) {
                throw new IllegalArgumentException("headers must not contain a null key");
            }
            if (StoredForm.isReserved(name)) {
                throw new IllegalArgumentException("header name " + name + " is reserved");
            }
            headers.put(name, value);
            return this;
        }

        /** Sets a text payload. Exactly one of text, bytes and tombstone is required. */
        public Builder payloadJson(String payloadJson) {
            Objects.requireNonNull(payloadJson, "payloadJson");
            requireFits(utf8Length(payloadJson));
            this.tombstone = false;
            this.payloadJson = payloadJson;
            if (copied) {
                this.payloadBytes = null;
            }
            return this;
        }

        /** Sets a binary payload; the array is copied. Exactly one of text, bytes and tombstone is required. */
        public Builder payloadBytes(byte[] payloadBytes) {
            Objects.requireNonNull(payloadBytes, "payloadBytes");
            requireFits(payloadBytes.length);
            if (copied || tombstone) {
                this.payloadJson = null;
            }
            this.tombstone = false;
            this.payloadBytes = payloadBytes.clone();
            return this;
        }

        /**
         * Makes the event a tombstone: it has no payload and means that the object with its key was deleted, like a
         * record without a value in a compacted Kafka topic. Exactly one of text, bytes and tombstone is required.
         */
        public Builder tombstone() {
            payloadJson(NO_PAYLOAD);
            this.tombstone = true;
            return this;
        }

        /** The version of the payload. Default: that of the event type, as far as the outbox knows it, or else 1. */
        public Builder version(int version) {
            this.version = Limits.atLeastOne(version, "version");
            return this;
        }

        /** Delays delivery until the given instant. Excludes {@link #deliverAfter}. */
        public Builder availableAt(Instant availableAt) {
            this.availableAt = Objects.requireNonNull(availableAt, "availableAt");
            return this;
        }

        /** Delays delivery by the given time after the event occurred. Excludes {@link #availableAt}. */
        public Builder deliverAfter(Duration deliverAfter) {
            Objects.requireNonNull(deliverAfter, "deliverAfter");
            if (deliverAfter.isZero() || deliverAfter.isNegative()) {
                throw new IllegalArgumentException("deliverAfter must be positive: " + deliverAfter);
            }
            this.deliverAfter = deliverAfter;
            if (copied) {
                this.availableAt = null;
            }
            return this;
        }

        public EventEnvelope build() {
            Check.atMost(Check.notBlank(eventType, "eventType"), MAX_EVENT_TYPE, "eventType");
            if (payloadJson != null && payloadBytes != null) {
                throw new IllegalArgumentException("payloadJson and payloadBytes are both set; set one of them");
            }
            if (payloadBytes == null) {
                Objects.requireNonNull(payloadJson, "payloadJson is required (or payloadBytes)");
            }
            if (availableAt != null && deliverAfter != null) {
                throw new IllegalArgumentException("availableAt and deliverAfter are both set; set one of them");
            }
            EventEnvelope event = new EventEnvelope(this);
            if (availableAt != null && availableAt.isBefore(event.occurredAt)) {
                throw new IllegalArgumentException(
                        "availableAt " + availableAt + " is before occurredAt " + event.occurredAt);
            }
            return event;
        }

        private static void requireFits(long bytes) {
            if (bytes > MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("payload must have at most " + MAX_PAYLOAD_BYTES + " bytes, but has "
                        + bytes + "; store large content elsewhere and send a reference");
            }
        }

        /** Counts UTF-8 bytes without encoding. */
        private static long utf8Length(String text) {
            long bytes = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                if (c < 0x80) {
                    bytes++;
                } else if (c < 0x800) {
                    bytes += 2;
                } else if (!Character.isSurrogate(c)) {
                    bytes += 3;
                } else if (Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1))) {
                    bytes += 4;
                    i++;
                } else {
                    throw new IllegalArgumentException(
                            "payloadJson has an unpaired surrogate at index " + i + ", which UTF-8 cannot express");
                }
            }
            return bytes;
        }
    }
}
