package io.outbox.dispatch;

import io.outbox.UnrecoverableException;

/**
 * No listener is registered for an event's route: the event goes DEAD, on a single node immediately, with several nodes
 * after a grace period in which no node took it.
 */
public class UnroutableEventException extends UnrecoverableException {

    private static final long serialVersionUID = 1L;

    public UnroutableEventException(String message) {
        super(message);
    }

    public UnroutableEventException(String message, Throwable cause) {
        super(message, cause);
    }
}
