package io.outbox.kafka;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The headers of records as headers of events and back. Those of events are texts: what is none, such as the id of a
 * schema, is stored in Base64 under a name that says so, and {@code null} as nothing under such a name.
 */
public final class StoredHeaders {

    private static final String BYTES = "outbox_bytes:";

    private StoredHeaders() {}

    /** Adds a header of a record to an event. */
    public static void store(Header header, EventEnvelope.Builder event) {
        byte[] value = header.value();
        String text = value == null ? null : text(value);
        if (text != null) {
            event.header(header.key(), text);
        } else {
            event.header(
                    BYTES + header.key(),
                    value == null ? "" : Base64.getEncoder().encodeToString(value));
        }
    }

    /** Returns the text, if the bytes are one that every database takes. */
    private static @Nullable String text(byte[] value) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
            return text.chars().anyMatch(Character::isISOControl) ? null : text;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Adds a header of an event to a record. */
    public static void restore(String name, String text, Headers headers) {
        if (!name.startsWith(BYTES)) {
            headers.add(name, text.getBytes(StandardCharsets.UTF_8));
        } else {
            headers.add(name.substring(BYTES.length()), text.isEmpty() ? null : decoded(name, text));
        }
    }

    /**
     * Checks that the headers of an event can be those of a record.
     *
     * @throws UnrecoverableException if one has a name that is the outbox's own, and a value that is not
     */
    public static void requireRestorable(EventEnvelope event) {
        event.headers().forEach((name, text) -> {
            if (name.startsWith(BYTES)) {
                decoded(name, text);
            }
        });
    }

    private static byte[] decoded(String name, String text) {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new UnrecoverableException("The value of header '" + name + "' is not Base64: names that begin with '"
                    + BYTES + "' are for bytes in Base64, so give it another name");
        }
    }
}
