package io.outbox.spring.boot.brokers;

import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.Sender;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;

/** Which sender an event type has: the one that it names, or else the one without a name. */
final class SenderSettings {

    private final OutboxPublisherProperties publisher;

    SenderSettings(OutboxPublisherProperties publisher) {
        this.publisher = publisher;
    }

    /** Returns the sender of an event type; {@code null} if there is none of the name. */
    Sender of(OutboxEventProperties event) {
        return event.sender() == null ? publisher.sender() : publisher.senders().get(event.sender());
    }

    /** Returns the key of the settings of a sender; {@code null} is the name of the one without. */
    static String key(String name) {
        return name == null ? PublisherKeys.of("sender") : FeatureSettings.ofEntry(PublisherKeys.of("senders"), name);
    }
}
