package io.outbox.spring.boot.internal.listeners;

import io.outbox.EventListener;
import java.util.function.Supplier;

/**
 * Where a listener comes from.
 *
 * @param description for messages: the bean, and the method if it is one
 * @param outbox the outbox that it names, or the empty text
 * @param supertype the type of payload by which it takes its events, or {@code null} if it names them or their class
 * @param supplier makes it, which may create its bean
 */
record ListenerSource(String description, String outbox, Class<?> supertype, Supplier<EventListener> supplier) {

    EventListener listener() {
        return supplier.get();
    }
}
