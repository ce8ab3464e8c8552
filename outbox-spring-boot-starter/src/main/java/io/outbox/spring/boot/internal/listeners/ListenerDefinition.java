package io.outbox.spring.boot.internal.listeners;

import io.outbox.EventListener;
import io.outbox.Subscription;
import java.util.Objects;
import java.util.Optional;

/**
 * A listener as far as it is known before there is any bean, which is what an outbox has to know when it is built.
 *
 * @param name under which its settings are found
 * @param route the events it is for
 * @param subscription its own name among several listeners of the route, or {@code null}
 * @param lane its settings if it has a lane of its own, or {@code null}
 * @param version the version of its payloads as their class states it, or 0
 * @param source where the listener comes from
 */
record ListenerDefinition(
        String name, ListenerRoute route, String subscription, ListenerLane lane, int version, ListenerSource source) {

    /** Returns the subscription, without its lane, if it is one of several listeners of its route. */
    Optional<Subscription> asSubscription() {
        return Optional.ofNullable(subscription)
                .map(named -> Subscription.of(named, route.aggregateType(), route.eventType()));
    }

    /** Returns whether an outbox must know of it when it is built. */
    boolean isNeededEarly() {
        return lane != null || subscription != null || version > 0;
    }

    /** Returns the type that its events are stored with, by which they have a lane. */
    String storedEventType() {
        return storedEventType(route.eventType());
    }

    /** Returns the type that its events are stored with if their type has this name. */
    String storedEventType(String eventType) {
        return subscription == null
                ? eventType
                : Subscription.of(subscription, route.aggregateType(), eventType)
                        .storedEventType();
    }

    /**
     * Returns whether the other is of the same name and for the same events: a bean may have several methods of one
     * name.
     */
    boolean isSameAs(ListenerDefinition other) {
        return description().equals(other.description())
                && route.equals(other.route)
                && Objects.equals(subscription, other.subscription);
    }

    /** Returns whether the other is for the same events, under the same name if it has one. */
    boolean isForTheSameAs(ListenerDefinition other) {
        return outbox().equals(other.outbox())
                && route.equals(other.route)
                && Objects.equals(subscription, other.subscription);
    }

    /** Returns the bean, and the method if it is one, for messages. */
    String description() {
        return source.description();
    }

    /** Returns the outbox that it names, or the empty text. */
    String outbox() {
        return source.outbox();
    }

    /** Returns the listener; now its bean is needed. */
    EventListener listener() {
        return source.listener();
    }
}
