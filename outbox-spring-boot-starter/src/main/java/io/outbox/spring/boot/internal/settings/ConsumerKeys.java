package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxConsumerProperties;

/** The settings of the consumer. {@link ConsumerDecision} knows how they fit together. */
public final class ConsumerKeys extends FeatureSettings {

    public static final String PREFIX = "outbox.consumer";

    /** Whether there is a consumer. */
    public static final String ENABLED = PREFIX + ".enabled";

    /** Which classes the payloads of events have, by the types of the events. */
    public static final String MAPPINGS = PREFIX + ".mappings";

    private static final String CLEAN_UP = of("clean-up.enabled");

    ConsumerKeys() {
        super(PREFIX, OutboxConsumerProperties.class);
    }

    /** An application that turns its consumer off, as opposed to never on, may keep the settings. */
    @Override
    protected String whyNoEffect(String key, ExplicitSettings explicit, boolean hasOutbox) {
        if (hasOutbox && !explicit.has(ENABLED)) {
            return "there is no consumer; set " + ENABLED + "=true";
        }
        boolean keepsMarks = explicit.is(ENABLED, false) && !explicit.is(CLEAN_UP, true);
        return keepsMarks && key.startsWith(of("clean-up.")) && !key.equals(CLEAN_UP)
                ? CLEAN_UP + " is false, so marks are kept"
                : null;
    }

    /** Returns the key of a setting below {@value #PREFIX}. */
    public static String of(String setting) {
        return PREFIX + "." + setting;
    }

    /** Returns the key of an event type's class, in brackets where the type would not survive without. */
    public static String ofMapping(String eventType) {
        return EventTypeKeys.of(MAPPINGS, eventType);
    }
}
