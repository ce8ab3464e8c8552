package io.outbox.spring.boot.internal.aot;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the tables' DDL in a native image, with the scripts for migration tools. */
public final class OutboxRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources()
                .registerPattern("schema/*.sql")
                .registerPattern("schema/flyway/*/*.sql")
                .registerPattern("schema/flyway-inbox/*/*.sql")
                .registerPattern("schema/flyway-lanes/*/*.sql")
                .registerPattern("schema/liquibase/*.xml");
    }
}
