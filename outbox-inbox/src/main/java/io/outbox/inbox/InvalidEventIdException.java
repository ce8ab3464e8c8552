package io.outbox.inbox;

/** A message has no event id, or one by which it cannot be told from others. Delivering it again does not help. */
public final class InvalidEventIdException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String header;

    InvalidEventIdException(String message, String header) {
        super(message);
        this.header = header;
    }

    /**
     * Returns the name of the header that should have had the id; {@code null} if it was not looked for in a header.
     */
    public String header() {
        return header;
    }
}
