package io.outbox.spring.boot.test;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Objects;

/** Events in the words of a failure message. */
final class Descriptions {

    private static final int LONGEST_TEXT = 200;

    private Descriptions() {}

    static String written(List<WrittenEvent> events) {
        return events.isEmpty() ? "nothing was written" : "these were written:" + list(events);
    }

    static String list(List<WrittenEvent> events) {
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append("\n  ").append(line(event)));
        return text.toString();
    }

    private static String line(WrittenEvent event) {
        EventEnvelope envelope = event.envelope();
        StringBuilder line = new StringBuilder(event.eventType()).append(' ').append(event.eventId());
        boolean global = envelope.aggregateType().equals(AggregateType.GLOBAL.name());
        if (!global || envelope.aggregateId() != null) {
            line.append(" of ");
            line.append(global ? envelope.aggregateId() : envelope.aggregateType() + "/" + envelope.aggregateId());
        }
        if (envelope.tenantId() != null) {
            line.append(", tenant ").append(envelope.tenantId());
        }
        line.append(", ").append(event.status());
        if (!event.committed()) {
            line.append(", not committed");
        }
        if (event.attempts() > 0) {
            line.append(", failed attempts: ").append(event.attempts());
        }
        if (event.lastError() != null) {
            line.append(", error: ").append(cut(event.lastError()));
        }
        if (event.isPending()) {
            line.append(", due at ").append(event.dueAt());
        }
        if (!envelope.headers().isEmpty()) {
            line.append(", headers ").append(cut(envelope.headers().toString()));
        }
        return line.append(", payload ").append(payload(envelope)).toString();
    }

    private static String payload(EventEnvelope envelope) {
        return envelope.isBinary()
                ? "of " + envelope.payloadBytes().length + " bytes"
                : cut(Objects.requireNonNull(envelope.payloadJson()));
    }

    private static String cut(String text) {
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
    }
}
