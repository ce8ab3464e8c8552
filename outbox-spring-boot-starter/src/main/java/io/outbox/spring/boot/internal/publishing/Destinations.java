package io.outbox.spring.boot.internal.publishing;

/** Who receives events, as far as it is known here. */
@FunctionalInterface
public interface Destinations {

    /** Returns whether somebody receives events of the route, or may do so without being known here. */
    boolean has(String aggregateType, String eventType);
}
