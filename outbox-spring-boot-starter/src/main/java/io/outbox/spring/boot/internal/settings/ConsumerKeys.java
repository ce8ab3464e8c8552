package io.outbox.spring.boot.internal.settings;

/** The names of the consumer's settings. */
public final class ConsumerKeys {

    public static final String PREFIX = "outbox.consumer";

    /** Whether there is a consumer. */
    public static final String ENABLED = PREFIX + ".enabled";

    /** Which classes the payloads of events have, by the types of the events. */
    public static final String MAPPINGS = PREFIX + ".mappings";

    private ConsumerKeys() {}

    /** Returns the key of a setting below {@value #PREFIX}. */
    public static String of(String setting) {
        return PREFIX + "." + setting;
    }

    /** Returns the key of an event type's class, in brackets where the type would not survive without. */
    public static String ofMapping(String eventType) {
        return EventTypeKeys.of(MAPPINGS, eventType);
    }
}
