package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxPublisherProperties;

/** The settings of the publisher. {@link PublisherCheck} knows how they fit together. */
public final class PublisherKeys extends FeatureSettings {

    public static final String PREFIX = "outbox.publisher";

    static final String ENABLED = of("enabled");
    static final String CLEAN_UP = of("clean-up.enabled");

    private static final String DLQ_ENABLED = of("dlq.enabled");

    PublisherKeys() {
        super(PREFIX, OutboxPublisherProperties.class);
    }

    @Override
    protected String whyNoEffect(String key, ExplicitSettings explicit, boolean hasOutbox) {
        boolean isPointless = key.startsWith(of("dlq.")) && hasOutbox && !explicit.is(DLQ_ENABLED, false);
        return isPointless && !key.equals(DLQ_ENABLED)
                ? "there are no dead letters; set " + DLQ_ENABLED + "=true"
                : null;
    }

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
