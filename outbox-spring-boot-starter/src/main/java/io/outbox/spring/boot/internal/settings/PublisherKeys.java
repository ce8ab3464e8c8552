package io.outbox.spring.boot.internal.settings;

/** The names of the publisher's settings. */
public final class PublisherKeys {

    public static final String PREFIX = "outbox.publisher";

    private PublisherKeys() {}

    /** Returns the key of a setting below {@value #PREFIX}. */
    public static String of(String setting) {
        return PREFIX + "." + setting;
    }

    /** Returns the key of a setting of an event type, in brackets where the type would not survive without. */
    public static String ofEvent(String eventType, String setting) {
        return EventTypeKeys.of(PREFIX + ".events", eventType) + "." + setting;
    }

    /** Returns the key of a header of an event type. */
    public static String ofHeader(String eventType, String name) {
        return EventTypeKeys.of(ofEvent(eventType, "headers"), name);
    }
}
