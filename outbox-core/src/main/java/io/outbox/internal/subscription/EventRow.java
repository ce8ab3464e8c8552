package io.outbox.internal.subscription;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;

/** The row of a subscription: an envelope that stands for an event of another id and type. */
public final class EventRow {

    private static final char SEPARATOR = '#';

    private EventRow() {}

    static EventEnvelope of(EventEnvelope event, String rowId, String subscription) {
        return event.withEventType(event.eventType() + SEPARATOR + subscription).toBuilder()
                .eventId(rowId)
                .originId(event.eventId())
                .build();
    }

    /** Returns whether a type is that of a subscription's rows, or at least looks like it. */
    static boolean isStoredType(String eventType) {
        return eventType.indexOf(SEPARATOR) > 0;
    }

    /** Returns whether the envelope is the row of a subscription, and not an event whose type looks like that. */
    public static boolean isOne(EventEnvelope envelope) {
        return isStoredType(envelope.eventType()) && !envelope.originId().equals(envelope.eventId());
    }

    /** Returns the name of the subscription whose row the envelope is, or {@code null} if it is none. */
    public static String subscriptionOf(EventEnvelope envelope) {
        return isOne(envelope) ? envelope.eventType().substring(separator(envelope) + 1) : null;
    }

    /** Says why a row has no listener. */
    public static String whyUnroutable(EventEnvelope row) {
        String ofAggregateType = AggregateType.GLOBAL.name().equals(row.aggregateType())
                ? ""
                : " of aggregate type '" + row.aggregateType() + "'";
        return "Subscription '" + row.eventType().substring(separator(row) + 1) + "' of event type '" + typeOf(row)
                + "'" + ofAggregateType
                + " has no listener. To continue the subscription, add a listener and replay the event; otherwise leave"
                + " the event to the purge";
    }

    /** Returns the type of the event as it was written: of a row, that of the event which it stands for. */
    public static String writtenType(EventEnvelope envelope) {
        return isOne(envelope) ? typeOf(envelope) : envelope.eventType();
    }

    private static String typeOf(EventEnvelope row) {
        return row.eventType().substring(0, separator(row));
    }

    private static int separator(EventEnvelope row) {
        return row.eventType().indexOf(SEPARATOR);
    }
}
