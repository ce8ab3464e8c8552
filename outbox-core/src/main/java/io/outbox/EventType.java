package io.outbox;

import java.util.Objects;

/**
 * The logical name of an event, independent of any Java class name. Usually an enum constant; see
 * {@link StringEventType} for names known only at run time.
 */
public interface EventType {

    /**
     * Stands for every type when you register listeners and subscriptions: a listener for it receives the events
     * without their own listener, a subscription all events.
     */
    EventType ANY = StringEventType.of("*");

    /** Returns the name stored with the event and used for routing. */
    String name();

    /**
     * Returns the event type of a payload class where nothing else names it: its simple name.
     *
     * @throws IllegalArgumentException if the class says nothing about events: an array, a class of the Java platform
     * such as
     *     {@code String}, or one without a name
     */
    static String nameOf(Class<?> payload) {
        Objects.requireNonNull(payload, "payload");
        String name = payload.getSimpleName();
        if (payload.isArray()
                || payload.isPrimitive()
                || name.isEmpty()
                || payload.getPackageName().startsWith("java.")) {
            throw new IllegalArgumentException(payload.getName()
                    + " does not declare its event type: give the type, for example publish(eventType, payload)");
        }
        return name;
    }
}
