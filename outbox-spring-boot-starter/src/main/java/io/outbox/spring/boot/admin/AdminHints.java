package io.outbox.spring.boot.admin;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the files of the administration in a native image, with the migrations of its table. */
final class AdminHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources()
                .registerPattern("META-INF/outbox-admin/*")
                .registerPattern("META-INF/outbox-admin/web/**")
                .registerPattern("schema/flyway-admin/*/*.sql");
    }
}
