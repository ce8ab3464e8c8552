package io.outbox.spring.boot.consumer;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps the migrations of the table of consumed events in a native image. */
final class ConsumerHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources().registerPattern("schema/flyway-inbox/*/*.sql");
    }
}
