package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxGlobalProperties;

/** Other names for settings of the outbox. */
final class GlobalKeys extends FeatureSettings {

    GlobalKeys() {
        super(OutboxKeys.PREFIX, OutboxGlobalProperties.class);
    }
}
