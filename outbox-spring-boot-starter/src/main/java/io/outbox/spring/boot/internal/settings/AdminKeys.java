package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxAdminProperties;

/** The settings of the administration over HTTP. */
final class AdminKeys extends FeatureSettings {

    AdminKeys() {
        super("outbox.admin", OutboxAdminProperties.class);
    }
}
