package io.outbox.spring.boot.publishing;

import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.PayloadSerializer;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * Who receives events, as far as it is known here.
 *
 * @param listeners those of the application's own outbox, or {@code null} if it is not clear which these are
 * @param named those of outboxes with a name
 * @param others where features take events to
 * @param outbox the name of the outbox, or {@code null} for all of them
 * @param isKnown whether the starter has built the outbox, and delivers
 */
record Destinations(
        ListenerRegistry listeners,
        ListenerRegistries named,
        List<Destination> others,
        String outbox,
        BooleanSupplier isKnown) {

    /** Returns whether somebody receives events of the route, or may do so without being known here. */
    boolean has(String aggregateType, String eventType) {
        return listeners == null
                || !isKnown.getAsBoolean()
                || listeners.listenerFor(aggregateType, eventType) != null
                || named.hasListener(aggregateType, eventType)
                || others.stream().anyMatch(other -> other.has(outbox, aggregateType, eventType));
    }

    /** Returns the event types that listeners take here. */
    Set<String> listenedTo() {
        Set<String> types = new TreeSet<>(listeners == null ? Set.of() : listeners.eventTypes());
        named.byOutbox().values().forEach(registry -> types.addAll(registry.eventTypes()));
        return types;
    }

    /** Returns those of the outbox with this name, where the listeners of others count for nothing. */
    Destinations of(String outbox) {
        ListenerRegistry own = named.byOutbox().get(outbox);
        return own == null ? this : new Destinations(own, new ListenerRegistries(), others, outbox, isKnown);
    }

    /** Returns what makes the payloads of an event type, or {@code null} for the codec. */
    PayloadSerializer serializer(String eventType) {
        return others.stream()
                .map(other -> other.serializer(eventType))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
