package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reacts to events of one (aggregate type, event type) pair.
 *
 * <p>Called on a worker thread of the dispatcher, one event at a time per worker, at least once per event: after a
 * crash an event may come again, so effects must tolerate repetition (the {@link EventEnvelope#eventId() event id} is
 * the key to deduplicate by). Any {@code Throwable} counts as a failed attempt, except {@link UnrecoverableException},
 * which ends the event at once, and {@link RouteUnavailableException}, after which it waits for its target.
 *
 * <p>A listener that wants to know which attempt this is implements {@link Informed}. One that wraps another extends
 * {@link ForwardingListener}, or {@link ForwardingBatchListener} if the other is a {@link BatchEventListener}.
 */
@FunctionalInterface
public interface EventListener {

    /** Handles the event and returns the result; returning {@code null} counts as a failed attempt. */
    DispatchResult onEvent(EventEnvelope event) throws Exception;

    /**
     * Returns when a failed event of this listener is delivered again, or {@code null} for the policy of its lane or of
     * the outbox. Asked after every failure, on the worker thread. The maximum number of attempts is always that of the
     * lane or of the outbox.
     */
    default @Nullable RetryPolicy retryPolicy() {
        return null;
    }

    /**
     * Returns the callback for an event of this listener before it goes DEAD, or {@code null} for none. Called on the
     * worker thread each time.
     */
    default @Nullable EventFallback fallback() {
        return null;
    }

    /** Returns the listener; a way to write one that knows about deliveries as a lambda. */
    static EventListener informed(Informed listener) {
        return Objects.requireNonNull(listener, "listener");
    }

    /**
     * Returns a listener that does what the given one does and has its own retry policy, as lambdas cannot have. A
     * {@link BatchEventListener} stays one.
     */
    static EventListener retrying(RetryPolicy retryPolicy, EventListener listener) {
        return PolicyListener.of(listener, Objects.requireNonNull(retryPolicy, "retryPolicy"), null);
    }

    /**
     * Returns a listener that does what the given one does and has its own fallback, as lambdas cannot have. A {@link
     * BatchEventListener} stays one.
     */
    static EventListener withFallback(EventFallback fallback, EventListener listener) {
        return PolicyListener.of(listener, null, Objects.requireNonNull(fallback, "fallback"));
    }

    /**
     * A listener that receives information about the delivery of each event. The outbox calls the method with the
     * {@link DeliveryInfo}.
     */
    @FunctionalInterface
    interface Informed extends EventListener {

        /** Handles the event and returns the result; returning {@code null} counts as a failed attempt. */
        DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception;

        /** Handles the event as if it came for the first time. */
        @Override
        default DispatchResult onEvent(EventEnvelope event) throws Exception {
            return onEvent(event, DeliveryInfo.first(event));
        }

        /** Calls a listener of either kind. */
        static DispatchResult call(EventListener listener, EventEnvelope event, DeliveryInfo info) throws Exception {
            return listener instanceof Informed informed ? informed.onEvent(event, info) : listener.onEvent(event);
        }
    }
}
