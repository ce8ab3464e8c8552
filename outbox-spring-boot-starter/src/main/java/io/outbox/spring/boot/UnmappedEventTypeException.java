package io.outbox.spring.boot;

/**
 * A message brought an event of a type that {@code outbox.consumer.mappings} has no class for, while a listener wanted
 * an object. Delivering it again does not help before the settings are changed.
 */
public final class UnmappedEventTypeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String eventType;

    /** Creates it; not for applications. */
    public UnmappedEventTypeException(String eventType, String message) {
        super(message);
        this.eventType = eventType;
    }

    /** Returns the type of the event. */
    public String eventType() {
        return eventType;
    }
}
