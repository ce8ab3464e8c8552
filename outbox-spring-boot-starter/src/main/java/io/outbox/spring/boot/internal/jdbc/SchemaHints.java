package io.outbox.spring.boot.internal.jdbc;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the tables' DDL in a native image, with the scripts for migration tools. */
final class SchemaHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources()
                .registerPattern("schema/*.sql")
                .registerPattern("schema/flyway/*/*.sql")
                .registerPattern("schema/flyway-dlq/*/*.sql")
                .registerPattern("schema/flyway-lanes/*/*.sql")
                .registerPattern("schema/flyway-cdc/*/*.sql")
                .registerPattern("schema/liquibase/*.xml");
    }
}
