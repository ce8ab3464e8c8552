package io.outbox.spring.boot.brokers;

import io.outbox.OutboxRoute;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * One part of a route as a setting gives it. A value of {@code null} leaves the part open.
 *
 * @param given what a route has for this part already, or {@code null}
 * @param use puts a value into a route; throws {@link IllegalArgumentException} with the rule that it breaks
 */
record RoutePart(RouteText text, Function<OutboxRoute, ?> given, BiConsumer<OutboxRoute.Builder, Object> use) {

    boolean isConstant() {
        return text.isConstant();
    }

    /** Adds the part of a constant text, at the application's start. */
    void addConstant(OutboxRoute.Builder route) {
        try {
            use.accept(route, text.value(null));
        } catch (IllegalArgumentException e) {
            throw text.refused(e.getMessage());
        }
    }

    /** Returns whether a route leaves this part open. */
    boolean isOpenIn(OutboxRoute route) {
        return given.apply(route) == null;
    }

    void addTo(OutboxRoute.Builder route, RoutedEvent event) {
        Object value = text.value(event);
        if (value == null) {
            return;
        }
        try {
            use.accept(route, value);
        } catch (IllegalArgumentException e) {
            throw text.failed(event, e.getMessage(), e);
        }
    }
}
