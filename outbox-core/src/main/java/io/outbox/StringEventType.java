package io.outbox;

/** An {@link EventType} made from a string. */
public record StringEventType(String name) implements EventType {

    public StringEventType {
        Check.notBlank(name, "eventType");
    }

    public static StringEventType of(String name) {
        return new StringEventType(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
