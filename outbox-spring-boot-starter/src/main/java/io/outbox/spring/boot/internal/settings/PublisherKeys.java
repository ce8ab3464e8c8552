package io.outbox.spring.boot.internal.settings;

/** The keys of the publisher. Some of its settings are those of the outbox by another name, others those of brokers. */
public final class PublisherKeys {

    public static final String PREFIX = "outbox.publisher";

    static final String ENABLED = of("enabled");
    static final String CLEAN_UP = of("clean-up.enabled");

    private PublisherKeys() {}

    /** Returns the key of a setting below {@value #PREFIX}. */
    public static String of(String setting) {
        return PREFIX + "." + setting;
    }

    /** Returns the key of a setting of an event type, in brackets where the type would not survive without. */
    public static String ofEvent(String eventType, String setting) {
        return FeatureSettings.ofEntry(PREFIX + ".events", eventType) + "." + setting;
    }

    /** Returns the key of a header of an event type. */
    public static String ofHeader(String eventType, String name) {
        return FeatureSettings.ofEntry(ofEvent(eventType, "headers"), name);
    }
}
