package io.outbox.spring.boot.internal.aot;

import io.outbox.spring.boot.internal.routing.RoutedEvent;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Keeps the tables' DDL in a native image, with the scripts for migration tools, those of Redis, the files of the administration,
 * and what expressions of routes see.
 */
public final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources()
                .registerPattern("schema/*.sql")
                .registerPattern("io/outbox/redis/*.lua")
                .registerPattern("META-INF/outbox-admin/*")
                .registerPattern("META-INF/outbox-admin/web/**")
                .registerPattern("schema/flyway/*/*.sql")
                .registerPattern("schema/flyway-admin/*/*.sql")
                .registerPattern("schema/flyway-dlq/*/*.sql")
                .registerPattern("schema/flyway-inbox/*/*.sql")
                .registerPattern("schema/flyway-lanes/*/*.sql")
                .registerPattern("schema/liquibase/*.xml");
        hints.reflection().registerType(RoutedEvent.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
