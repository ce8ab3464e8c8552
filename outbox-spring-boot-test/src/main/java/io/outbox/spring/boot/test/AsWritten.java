package io.outbox.spring.boot.test;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Rows as the events that were written. An event with subscriptions is one event, however many rows it has: pending as
 * long as one of them is, and dead if one is dead in the end.
 */
final class AsWritten {

    private static final char SEPARATOR = '#';

    private AsWritten() {}

    static List<WrittenEvent> of(List<WrittenEvent> rows) {
        Map<String, List<WrittenEvent>> byEvent = new LinkedHashMap<>();
        rows.forEach(row -> byEvent.computeIfAbsent(
                        isOfSubscription(row) ? row.envelope().originId() : row.eventId(), id -> new ArrayList<>())
                .add(row));
        return byEvent.values().stream().map(AsWritten::one).toList();
    }

    /** Returns whether it is what one subscription has of an event. */
    static boolean isOfSubscription(WrittenEvent row) {
        return row.eventType().indexOf(SEPARATOR) > 0
                && !row.envelope().originId().equals(row.eventId());
    }

    private static WrittenEvent one(List<WrittenEvent> rows) {
        WrittenEvent telling = telling(rows);
        return new WrittenEvent(
                envelope(rows.get(0)),
                telling.status(),
                rows.stream().allMatch(WrittenEvent::committed),
                rows.stream().mapToInt(WrittenEvent::attempts).max().orElseThrow(),
                rows.stream()
                        .map(WrittenEvent::lastError)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null),
                rows.stream()
                        .filter(row -> row.isPending() == telling.isPending())
                        .map(WrittenEvent::dueAt)
                        .min(Instant::compareTo)
                        .orElseThrow());
    }

    private static WrittenEvent telling(List<WrittenEvent> rows) {
        return rows.stream()
                .filter(WrittenEvent::isPending)
                .findFirst()
                .or(() -> rows.stream()
                        .filter(row -> row.status() == EventStatus.DEAD)
                        .findFirst())
                .orElse(rows.get(0));
    }

    private static EventEnvelope envelope(WrittenEvent row) {
        if (!isOfSubscription(row)) {
            return row.envelope();
        }
        String type = row.eventType();
        return row.envelope().withEventType(type.substring(0, type.indexOf(SEPARATOR))).toBuilder()
                .eventId(row.envelope().originId())
                .build();
    }
}
