package io.outbox;

/** A failure that may pass: the event is retried until its attempts are used up. */
public class RecoverableException extends EventException {

    private static final long serialVersionUID = 1L;

    public RecoverableException(String message) {
        super(message);
    }

    public RecoverableException(String message, Throwable cause) {
        super(message, cause);
    }
}
