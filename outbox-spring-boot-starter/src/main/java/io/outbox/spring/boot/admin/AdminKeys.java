package io.outbox.spring.boot.admin;

import io.outbox.spring.boot.internal.settings.FeatureSettings;

/** The settings of the administration over HTTP. */
final class AdminKeys extends FeatureSettings {

    AdminKeys() {
        super("outbox.admin", OutboxAdminProperties.class);
    }
}
