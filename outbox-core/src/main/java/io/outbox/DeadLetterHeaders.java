package io.outbox;

/** The names of the headers that a dead event has in addition to {@link OutboxHeaders} when it is sent to a broker. */
public enum DeadLetterHeaders {
    /** Why the last attempt failed, in one line of at most 1,000 characters. */
    CAUSE("outbox_dead_cause"),
    /** How often delivery was tried. */
    ATTEMPTS("outbox_dead_attempts"),
    /** The topic or exchange that the event was meant for; absent if its route could not be found. */
    TARGET("outbox_dead_target"),
    /** The key or routing key that the event was to have; absent if it has none but the default. */
    KEY("outbox_dead_key");

    private final String value;

    DeadLetterHeaders(String value) {
        this.value = value;
    }

    /** Returns the header's name. */
    public String getValue() {
        return value;
    }
}
