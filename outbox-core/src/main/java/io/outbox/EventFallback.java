package io.outbox;

/**
 * The last resort of a listener: called with an event that is about to go DEAD, to undo what was done, to notify
 * someone, or to publish another event instead.
 *
 * <p>Called on the worker thread, in the {@linkplain io.outbox.spi.ContextPropagator context} of the event, before DEAD
 * is stored: an event of the listener never goes DEAD without this call having returned. If it throws, the event does
 * not go DEAD. It comes again after the delay of the retry policy, without another attempt being counted, and the
 * listener is called again; if that fails, so is the fallback. Like listeners it is therefore called at least once, and
 * must tolerate repetition. Each event of a batch has its own call, and so has each {@link Subscription}.
 *
 * <p>Not called for events without a listener, for rows that cannot be decoded, and for events that an operator ends.
 * To be told of all DEAD events once they are stored, use a {@link CompletionListener}.
 */
@FunctionalInterface
public interface EventFallback {

    /**
     * Handles an event that its listener could not.
     *
     * @param event the event as the listener has got it; if its payload could not be brought up to date, as it was
     * written
     * @param info what is known about the last attempt
     * @param cause what the last attempt failed with, as {@link CompletionListener} has it; if the listener returned
     * {@link
     *     DispatchResult#dead()}, an {@link UnrecoverableException} with its reason
     */
    void onLastFailure(EventEnvelope event, DeliveryInfo info, Throwable cause) throws Exception;
}
