package io.outbox.testing;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Lease;
import java.time.Instant;
import java.util.Objects;

/**
 * Everything a store knows about an event, for assertions.
 *
 * @param event what delivery reads
 * @param status where the event stands
 * @param doneAt when it was delivered, or {@code null}
 * @param lastError the text of the last failure, or {@code null}
 * @param lockedBy the node that holds the event, or {@code null}
 * @param lockedAt when that node's lease began, or {@code null}
 */
public record StoredEvent(
        OutboxEvent event, EventStatus status, Instant doneAt, String lastError, String lockedBy, Instant lockedAt) {

    public StoredEvent {
        Objects.requireNonNull(event, "event");
        Objects.requireNonNull(status, "status");
    }

    public String eventId() {
        return event.eventId();
    }

    public String eventType() {
        return event.eventType();
    }

    /** Returns the number of failed attempts. */
    public int attempts() {
        return event.attempts();
    }

    public Instant createdAt() {
        return event.createdAt();
    }

    /** Returns when the event is next due. */
    public Instant availableAt() {
        return event.availableAt();
    }

    /** Returns whether the event still waits for its delivery. */
    public boolean isPending() {
        return !status.isTerminal();
    }

    /** Returns the event as a listener would see it. */
    public EventEnvelope envelope() {
        return EventEnvelope.restore(event);
    }

    /** Returns the event as operators see it in a list. */
    InspectedEvent inspected() {
        OutboxEvent narrow = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                null,
                null,
                event.attempts(),
                event.createdAt(),
                event.availableAt());
        InspectedEvent.Lock lock = lockedBy == null ? null : new InspectedEvent.Lock(Lease.nodeOf(lockedBy), lockedAt);
        return new InspectedEvent(narrow, status, doneAt, lastError, lock);
    }

    StoredEvent lockedBy(String ownerId, Instant at) {
        return new StoredEvent(event, status, doneAt, lastError, ownerId, at);
    }

    StoredEvent unlocked() {
        return lockedBy(null, null);
    }

    /** Returns this event, unlocked, with another status, attempt count and due time. */
    StoredEvent becoming(EventStatus newStatus, int attempts, Instant availableAt) {
        OutboxEvent changed = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.payloadJson(),
                event.headersJson(),
                attempts,
                event.createdAt(),
                availableAt);
        return new StoredEvent(changed, newStatus, doneAt, lastError, null, null);
    }

    StoredEvent doneAt(Instant at) {
        return new StoredEvent(event, status, at, lastError, lockedBy, lockedAt);
    }

    StoredEvent withError(String error) {
        return new StoredEvent(event, status, doneAt, error, lockedBy, lockedAt);
    }
}
