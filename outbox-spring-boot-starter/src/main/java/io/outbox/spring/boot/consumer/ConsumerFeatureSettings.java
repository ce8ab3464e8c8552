package io.outbox.spring.boot.consumer;

import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.FeatureSettings;

/** The settings of the consumer. {@link ConsumerDecision} knows how they fit together. */
final class ConsumerFeatureSettings extends FeatureSettings {

    private static final String CLEAN_UP = ConsumerKeys.of("clean-up.enabled");

    ConsumerFeatureSettings() {
        super(ConsumerKeys.PREFIX, OutboxConsumerProperties.class);
    }

    /** An application that turns its consumer off, as opposed to never on, may keep the settings. */
    @Override
    protected String whyNoEffect(String key, ExplicitSettings explicit, boolean hasOutbox) {
        if (hasOutbox && !explicit.has(ConsumerKeys.ENABLED)) {
            return "there is no consumer; set " + ConsumerKeys.ENABLED + "=true";
        }
        boolean keepsMarks = explicit.is(ConsumerKeys.ENABLED, false) && !explicit.is(CLEAN_UP, true);
        return keepsMarks && key.startsWith(ConsumerKeys.of("clean-up.")) && !key.equals(CLEAN_UP)
                ? CLEAN_UP + " is false, so marks are kept"
                : null;
    }
}
