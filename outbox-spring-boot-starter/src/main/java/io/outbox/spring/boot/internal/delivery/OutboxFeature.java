package io.outbox.spring.boot.internal.delivery;

/**
 * What a feature of the starter adds to each outbox that is built: an {@link io.outbox.spring.boot.OutboxCustomizer}
 * that knows which outbox it is. Beans of this type are asked in their order, before the application's customizers.
 */
@FunctionalInterface
public interface OutboxFeature {

    void addTo(OutboxInMaking outbox);

    /** Returns whether it gives event types lanes, in whatever outbox: these find their events by an index. */
    default boolean hasLanes() {
        return false;
    }
}
