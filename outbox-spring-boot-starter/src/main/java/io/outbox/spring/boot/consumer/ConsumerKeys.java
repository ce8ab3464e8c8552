package io.outbox.spring.boot.consumer;

import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;

/** The keys of the consumer. */
public final class ConsumerKeys {

    /** Whether there is a consumer. */
    public static final String ENABLED = OutboxKeys.CONSUMER;

    /** Which classes the payloads of events have, by the types of the events. */
    public static final String MAPPINGS = of("mappings");

    static final String PREFIX = "outbox.consumer";

    private ConsumerKeys() {}

    /** Returns the key of a setting below {@value #PREFIX}. */
    static String of(String setting) {
        return PREFIX + "." + setting;
    }

    /** Returns the key of an event type's class, in brackets where the type would not survive without. */
    public static String ofMapping(String eventType) {
        return FeatureSettings.ofEntry(MAPPINGS, eventType);
    }
}
