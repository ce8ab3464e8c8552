package io.outbox.redis;

import io.outbox.EventEnvelope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What never changes of a stored event, as one text: the lengths of its first four parts, each with a comma behind it
 * and empty for a part that is not there, then all parts.
 */
record EventBody(
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable String tenantId,
        @Nullable String headers,
        @Nullable String payload) {

    private static final EventBody MISSING = new EventBody(null, null, null, null, null);

    static EventBody of(EventEnvelope event) {
        return new EventBody(
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.storedHeaders(),
                event.storedPayload());
    }

    String encode() {
        StringBuilder text = new StringBuilder(
                64 + Objects.requireNonNull(payload, "payload").length());
        @Nullable String[] parts = {aggregateType, aggregateId, tenantId, headers};
        for (String part : parts) {
            text.append(part == null ? "" : Integer.toString(part.length())).append(',');
        }
        for (String part : parts) {
            text.append(part == null ? "" : part);
        }
        return text.append(payload).toString();
    }

    /**
     * Reads what is stored. If that is missing or damaged, there is no payload, and the event is found to be
     * unreadable.
     */
    static EventBody decode(@Nullable String text) {
        try {
            return text == null ? MISSING : read(text);
        } catch (IndexOutOfBoundsException | NumberFormatException e) {
            return MISSING;
        }
    }

    private static EventBody read(String text) {
        int[] lengths = new int[4];
        int at = 0;
        for (int i = 0; i < lengths.length; i++) {
            int comma = text.indexOf(',', at);
            lengths[i] = comma == at ? -1 : Integer.parseInt(text, at, comma, 10);
            at = comma + 1;
        }
        @Nullable String[] parts = new String[lengths.length];
        for (int i = 0; i < parts.length; i++) {
            if (lengths[i] >= 0) {
                parts[i] = text.substring(at, at + lengths[i]);
                at += lengths[i];
            }
        }
        return new EventBody(parts[0], parts[1], parts[2], parts[3], text.substring(at));
    }
}
