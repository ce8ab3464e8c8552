package io.outbox.spring.boot.brokers;

import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;

/** The settings of the publisher. {@link PublisherCheck} knows how they fit together. */
final class PublisherFeatureSettings extends FeatureSettings {

    private static final String DLQ_ENABLED = PublisherKeys.of("dlq.enabled");

    PublisherFeatureSettings() {
        super(PublisherKeys.PREFIX, OutboxPublisherProperties.class);
    }

    @Override
    protected void checkTogether(Object properties) {
        new PublisherCheck((OutboxPublisherProperties) properties).check();
    }

    @Override
    protected String whyNoEffect(String key, ExplicitSettings explicit, boolean hasOutbox) {
        boolean isPointless = key.startsWith(PublisherKeys.of("dlq.")) && hasOutbox && !explicit.is(DLQ_ENABLED, false);
        return isPointless && !key.equals(DLQ_ENABLED)
                ? "there are no dead letters; set " + DLQ_ENABLED + "=true"
                : null;
    }
}
