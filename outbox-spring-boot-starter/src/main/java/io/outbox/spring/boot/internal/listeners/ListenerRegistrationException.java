package io.outbox.spring.boot.internal.listeners;

/** A listener that cannot be registered, and why; ends the start of the application. */
public final class ListenerRegistrationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** @param listener what it is, with its name */
    public ListenerRegistrationException(String listener, RuntimeException cause) {
        super(listener + " cannot be registered: " + cause.getMessage(), cause);
    }
}
