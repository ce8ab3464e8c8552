package io.outbox;

/**
 * The target of a route cannot be reached at all: a broker or service is down, and the event itself is not at fault.
 * Delivery of the route pauses until the target is back, and no attempt is counted.
 */
public class RouteUnavailableException extends RecoverableException {

    private static final long serialVersionUID = 1L;

    public RouteUnavailableException(String message) {
        super(message);
    }

    public RouteUnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
