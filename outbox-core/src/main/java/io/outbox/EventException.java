package io.outbox;

/** Root of the exceptions by which a listener tells how a failed event is to be treated. */
public class EventException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public EventException(String message) {
        super(message);
    }

    public EventException(String message, Throwable cause) {
        super(message, cause);
    }
}
