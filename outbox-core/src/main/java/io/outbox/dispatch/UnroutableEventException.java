package io.outbox.dispatch;

import io.outbox.UnrecoverableException;

/**
 * No listener is registered for an event's route: the event goes DEAD, at once on a single node, among several after a
 * grace in which none of them took it.
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
