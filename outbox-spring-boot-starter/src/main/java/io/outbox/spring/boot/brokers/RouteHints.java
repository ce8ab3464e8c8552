package io.outbox.spring.boot.brokers;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps what expressions of routes see in a native image. */
final class RouteHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.reflection().registerType(RoutedEvent.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
