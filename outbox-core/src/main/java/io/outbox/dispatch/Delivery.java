package io.outbox.dispatch;

/** A queued event together with this node's hold on it. */
record Delivery(QueuedEvent event, OwnedEvents.Hold hold) {

    String eventId() {
        return event.eventId();
    }

    boolean sameRoute(Delivery other) {
        return event.envelope().eventType().equals(other.event.envelope().eventType())
                && event.envelope()
                        .aggregateType()
                        .equals(other.event.envelope().aggregateType());
    }
}
