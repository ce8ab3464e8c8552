package io.outbox.admin;

import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.model.OutboxEvent;
import java.nio.charset.StandardCharsets;

/**
 * An event that is written in place of one that died. It has everything that the other has, message key and origin
 * included, but another payload, a new id of the same kind, and now as its time.
 */
final class Replacement {

    /** The header that names the other event. */
    static final String EDITED_FROM = "outbox_edited_from";

    private Replacement() {}

    static EventEnvelope of(OutboxEvent dead, String payload) {
        if (payload.getBytes(StandardCharsets.UTF_8).length > EventEnvelope.MAX_PAYLOAD_BYTES) {
            throw Problem.invalid("payload", "must have at most " + EventEnvelope.MAX_PAYLOAD_BYTES + " bytes");
        }
        EventEnvelope original = restore(dead);
        try {
            EventEnvelope.Builder builder = EventEnvelope.builder(original.eventType())
                    .newEventIdLike(original.eventId())
                    .aggregateType(original.aggregateType())
                    .aggregateId(original.aggregateId())
                    .tenantId(original.tenantId())
                    .key(original.key())
                    .headers(original.headers())
                    .header(EDITED_FROM, original.eventId())
                    .payloadJson(payload);
            if (!original.originId().equals(original.eventId())) {
                builder.originId(original.originId());
            }
            return builder.build();
        } catch (IllegalArgumentException | NullPointerException e) {
            throw Problem.invalid("payload", "does not fit the other fields of the dead event");
        }
    }

    /** Returns the event as it was written; what is no text cannot be edited as text. */
    private static EventEnvelope restore(OutboxEvent dead) {
        if (Views.encoding(dead) != null) {
            throw Problem.conflict(
                    "not-text",
                    "The payload of this event is not plain text and cannot be edited here; replay it, or write"
                            + " another event by the application");
        }
        try {
            return EventEnvelope.restore(dead);
        } catch (PayloadParseException e) {
            throw Problem.conflict("not-readable", "This event cannot be read with any payload; its row is damaged");
        }
    }
}
