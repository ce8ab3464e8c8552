package io.outbox.spring.boot.internal.delivery;

import io.outbox.EventListener;
import io.outbox.spring.boot.Idempotent;

/** Makes listeners of the outbox idempotent. There is a bean of this type where the application has a consumer. */
@FunctionalInterface
public interface Idempotence {

    /**
     * Returns the listener as the annotation wants it.
     *
     * @param name what tells the listener from others
     */
    EventListener of(EventListener listener, Idempotent annotation, String name);
}
