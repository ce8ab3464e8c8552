package io.outbox;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides where an event goes at a broker. Implementations are thread-safe and quick: they are called on worker threads
 * each time an event is sent, and where the Spring Boot starter publishes, once more before the event is written, so
 * that an event without a way is refused there.
 *
 * <p>The same event is to get the same route every time. What a router throws at delivery fails the event as if the
 * broker had refused it; an {@link UnrecoverableException} ends it at once.
 */
@FunctionalInterface
public interface OutboxRouter {

    /** Returns the event's route, with what it leaves open; none leaves everything open. */
    @Nullable
    OutboxRoute route(EventEnvelope event);

    /** Returns a router that asks this one, and another one for what it leaves open. It never returns {@code null}. */
    default OutboxRouter orElse(OutboxRouter other) {
        Objects.requireNonNull(other, "other");
        return event -> OutboxRoute.orOpen(route(event)).orElse(OutboxRoute.orOpen(other.route(event)));
    }
}
