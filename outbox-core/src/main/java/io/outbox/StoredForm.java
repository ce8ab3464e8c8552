package io.outbox;

import io.outbox.model.OutboxEvent;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How an event is kept in the columns of a store.
 *
 * <p>Some things do not fit into columns of their own and are kept as headers that listeners never see:
 *
 * <ul>
 *   <li>Bytes, and text with a NUL character, which some databases refuse, are stored as a JSON string in Base64 so that
 *       they fit every payload column, and a header tells. So it does of a tombstone, whose payload is the empty JSON
 *       string, since the column takes no NULL.
 *   <li>The message key, if it is another one than the aggregate id.
 *   <li>The time until which an event was delayed, because its column changes with every retry.
 *   <li>The id of the event that a row stands for, if that is another one.
 *   <li>That the event may be finished without a listener.
 *   <li>The version of the payload, unless it is the first.
 * </ul>
 */
final class StoredForm {

    private static final String ENCODING = "__payload_encoding";
    private static final String AVAILABLE_AT = "__available_at";
    private static final String ORIGIN_ID = "__origin_id";
    private static final String KEY = "__key";
    private static final String OPTIONAL = "__optional";
    private static final String VERSION = "__version";
    private static final Set<String> RESERVED = Set.of(ENCODING, AVAILABLE_AT, ORIGIN_ID, KEY, OPTIONAL, VERSION);

    private static final String BASE64_BYTES = "base64";
    private static final String BASE64_TEXT = "base64-text";
    private static final String TOMBSTONE = "tombstone";
    private static final byte[] NOTHING = {};

    private StoredForm() {}

    static boolean isReserved(String header) {
        return RESERVED.contains(header);
    }

    static String payload(EventEnvelope event) {
        return encoding(event) == null
                ? text(event)
                : '"' + Base64.getEncoder().encodeToString(event.isTombstone() ? NOTHING : event.payloadBytes()) + '"';
    }

    private static String text(EventEnvelope event) {
        return Objects.requireNonNull(event.payloadJson());
    }

    private static @Nullable String encoding(EventEnvelope event) {
        if (event.isTombstone()) {
            return TOMBSTONE;
        }
        if (event.isBinary()) {
            return BASE64_BYTES;
        }
        return text(event).indexOf('\0') >= 0 ? BASE64_TEXT : null;
    }

    static @Nullable String headers(EventEnvelope event) {
        String encoding = encoding(event);
        Instant availableAt = event.availableAt();
        boolean isOwnOrigin = event.originId().equals(event.eventId());
        boolean isFirstVersion = event.version() == 1;
        if (encoding == null
                && availableAt == null
                && isOwnOrigin
                && event.ownKey() == null
                && !event.isOptional()
                && isFirstVersion) {
            return event.headers().isEmpty() ? null : HeaderJson.write(event.headers());
        }
        Map<String, @Nullable String> all = new LinkedHashMap<>(event.headers());
        if (encoding != null) {
            all.put(ENCODING, encoding);
        }
        if (availableAt != null) {
            all.put(AVAILABLE_AT, availableAt.toString());
        }
        if (!isOwnOrigin) {
            all.put(ORIGIN_ID, event.originId());
        }
        if (event.ownKey() != null) {
            all.put(KEY, event.ownKey());
        }
        if (event.isOptional()) {
            all.put(OPTIONAL, "true");
        }
        if (!isFirstVersion) {
            all.put(VERSION, String.valueOf(event.version()));
        }
        return HeaderJson.write(all);
    }

    /** What the payload of a row holds; either text or bytes. */
    record Payload(@Nullable String text, byte @Nullable [] bytes, boolean tombstone) {}

    /** What the headers and the payload of a row hold. */
    record Content(
            Map<String, @Nullable String> headers,
            Payload payload,
            @Nullable Instant availableAt,
            @Nullable String originId,
            @Nullable String key,
            boolean optional,
            int version) {}

    /** @throws PayloadParseException if the row cannot be read */
    static Content read(OutboxEvent row) {
        Map<String, @Nullable String> headers = HeaderJson.parse(row.eventId(), row.headersJson());
        Payload payload = payload(row, headers.remove(ENCODING));
        Instant availableAt = instant(row, headers.remove(AVAILABLE_AT));
        String originId = headers.remove(ORIGIN_ID);
        String key = headers.remove(KEY);
        boolean optional = headers.remove(OPTIONAL) != null;
        int version = version(row, headers.remove(VERSION));
        return new Content(headers, payload, availableAt, originId, key, optional, version);
    }

    private static int version(OutboxEvent row, @Nullable String text) {
        try {
            int version = text == null ? 1 : Integer.parseInt(text);
            if (version > 0) {
                return version;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new PayloadParseException("event " + row.eventId() + ": " + VERSION + " is not a version");
    }

    private static Payload payload(OutboxEvent row, @Nullable String encoding) {
        if (encoding == null) {
            return new Payload(row.payloadJson(), null, false);
        }
        return switch (encoding) {
            case BASE64_BYTES -> new Payload(null, decode(row), false);
            case BASE64_TEXT -> new Payload(new String(decode(row), StandardCharsets.UTF_8), null, false);
            case TOMBSTONE -> new Payload(EventEnvelope.NO_PAYLOAD, null, true);
            default ->
                throw new PayloadParseException("event " + row.eventId() + ": unknown payload encoding " + encoding);
        };
    }

    private static @Nullable Instant instant(OutboxEvent row, @Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeException e) {
            throw new PayloadParseException("event " + row.eventId() + ": " + AVAILABLE_AT + " is not a time");
        }
    }

    private static byte[] decode(OutboxEvent row) {
        String text = row.payloadJson();
        if (text.length() < 2 || text.charAt(0) != '"' || text.charAt(text.length() - 1) != '"') {
            throw new PayloadParseException("event " + row.eventId() + ": the binary payload is not a JSON string");
        }
        try {
            return Base64.getDecoder().decode(text.substring(1, text.length() - 1));
        } catch (IllegalArgumentException e) {
            throw new PayloadParseException("event " + row.eventId() + ": the binary payload is not Base64");
        }
    }
}
