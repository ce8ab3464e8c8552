package io.outbox.model;

/** The state of a stored event. {@link #DONE} and {@link #DEAD} are terminal: only replay and purge touch them. */
public enum EventStatus {
    /** Written and waiting for its first delivery, or deferred by its listener. */
    NEW(0),
    /** Delivered. */
    DONE(1),
    /** Failed and waiting for another attempt. */
    RETRY(2),
    /** Given up: attempts used up, unroutable, undecodable, or declared dead by the listener. */
    DEAD(3);

    private final int code;

    EventStatus(int code) {
        this.code = code;
    }

    /** Returns the value stored in the status column. */
    public int code() {
        return code;
    }

    /** Returns whether no further delivery will happen. */
    public boolean isTerminal() {
        return this == DONE || this == DEAD;
    }

    /** Returns the status stored as {@code code}. */
    public static EventStatus fromCode(int code) {
        for (EventStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("unknown status code: " + code);
    }
}
