package io.outbox.inbox;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of an event as it came with a message, or what is wrong with it.
 *
 * <p>Ids of the outbox are UUIDs or ULIDs, but any text will do that every database keeps as it is and finds again. A
 * UUID is in lower case, whichever way it was sent.
 *
 * @param text the id, unless it cannot be used
 * @param problem what is wrong with it, without its value, if anything is
 */
record EventId(@Nullable String text, @Nullable String problem) {

    static final int MAX_LENGTH = 128;

    private static final Pattern UUID_TEXT =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

    /** Reads a UUID, text or the bytes of text. */
    static EventId of(@Nullable Object value) {
        if (value == null) {
            return invalid("is missing");
        }
        if (value instanceof UUID uuid) {
            return new EventId(uuid.toString(), null);
        }
        if (value instanceof CharSequence text) {
            return ofText(text.toString());
        }
        if (value instanceof byte[] bytes) {
            return ofBytes(bytes);
        }
        return invalid("is malformed: a " + value.getClass().getName() + ", not a UUID, text or bytes");
    }

    boolean isValid() {
        return problem == null;
    }

    private static EventId invalid(String problem) {
        return new EventId(null, problem);
    }

    private static EventId ofBytes(byte[] bytes) {
        try {
            return ofText(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return invalid("is malformed: its bytes are not text in UTF-8");
        }
    }

    private static EventId ofText(String text) {
        if (text.isBlank()) {
            return invalid("is blank");
        }
        if (text.length() > MAX_LENGTH) {
            return invalid("is malformed: it has " + text.length() + " characters, and at most " + MAX_LENGTH
                    + " can be stored");
        }
        // MySQL takes text with trailing blanks for the same text without them.
        if (!text.equals(text.strip()) || text.chars().anyMatch(Character::isISOControl)) {
            return invalid("is malformed: it begins or ends with a blank, or contains a control character");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            return invalid("is malformed: it contains half a character");
        }
        return new EventId(UUID_TEXT.matcher(text).matches() ? text.toLowerCase(Locale.ROOT) : text, null);
    }
}
