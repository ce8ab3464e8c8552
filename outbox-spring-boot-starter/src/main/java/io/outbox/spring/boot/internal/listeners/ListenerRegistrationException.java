package io.outbox.spring.boot.internal.listeners;

/** A listener that cannot be registered, and why; ends the start of the application. */
final class ListenerRegistrationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** @param listener the name of the bean, and of the method if it is one */
    ListenerRegistrationException(String listener, RuntimeException cause) {
        super("Outbox listener '" + listener + "' cannot be registered: " + cause.getMessage(), cause);
    }
}
