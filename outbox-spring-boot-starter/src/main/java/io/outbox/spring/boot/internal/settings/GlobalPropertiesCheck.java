package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxGlobalProperties;

/** The rules for {@link OutboxGlobalProperties}. */
final class GlobalPropertiesCheck {

    private GlobalPropertiesCheck() {}

    static void check(OutboxGlobalProperties properties) {
        Integer threads = properties.getThreadPoolSize();
        if (threads != null) {
            Rules.atLeast(1, "outbox.thread-pool-size", threads);
        }
    }
}
