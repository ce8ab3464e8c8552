package io.outbox;

/**
 * The logical name of an event, independent of any Java class name. Usually an enum constant; see
 * {@link StringEventType} for names known only at run time.
 */
public interface EventType {

    /** Returns the name stored with the event and used for routing. */
    String name();
}
