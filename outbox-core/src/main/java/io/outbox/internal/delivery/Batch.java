package io.outbox.internal.delivery;

import io.outbox.internal.ownership.HeldEvent;
import java.util.ArrayList;
import java.util.List;

/** Events of one route that a worker has taken from the queue, and who gets them. */
final class Batch {

    private final List<HeldEvent> events = new ArrayList<>(1);
    private Recipient recipient;

    List<HeldEvent> events() {
        return events;
    }

    int size() {
        return events.size();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Returns who gets the events; known as soon as there is one. */
    Recipient recipient() {
        return recipient;
    }

    void addressTo(Recipient newRecipient) {
        recipient = newRecipient;
    }
}
