package io.outbox;

/**
 * Reacts to events of one (aggregate type, event type) pair.
 *
 * <p>Called on a worker thread of the dispatcher, one event at a time per worker, at least once per event: after a
 * crash an event may come again, so effects must tolerate repetition (the {@link EventEnvelope#eventId() event id} is
 * the key to deduplicate by). Any {@code Throwable} counts as a failed attempt, except {@link UnrecoverableException},
 * which ends the event at once.
 */
@FunctionalInterface
public interface EventListener {

    /** Handles the event and tells what became of it; returning {@code null} counts as a failed attempt. */
    DispatchResult onEvent(EventEnvelope event) throws Exception;
}
