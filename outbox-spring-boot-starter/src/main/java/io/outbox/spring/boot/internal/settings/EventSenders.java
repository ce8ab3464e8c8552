package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;

/** Which sender an event type has: the one that it names, or else the one without a name. */
public final class EventSenders {

    private final OutboxPublisherProperties publisher;

    public EventSenders(OutboxPublisherProperties publisher) {
        this.publisher = publisher;
    }

    /** Returns the sender of an event type; {@code null} if there is none of the name. */
    public Sender of(OutboxEventProperties event) {
        return event.sender() == null ? publisher.sender() : publisher.senders().get(event.sender());
    }

    /** Returns the key of the settings of a sender; {@code null} is the name of the one without. */
    public static String key(String name) {
        return name == null ? PublisherKeys.of("sender") : EventTypeKeys.of(PublisherKeys.of("senders"), name);
    }
}
