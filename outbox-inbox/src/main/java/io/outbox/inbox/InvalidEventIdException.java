package io.outbox.inbox;

import org.jspecify.annotations.Nullable;

/** A message has no event id, or one by which it cannot be told from others. Delivering it again does not help. */
public final class InvalidEventIdException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final @Nullable String header;

    InvalidEventIdException(String message, @Nullable String header) {
        super(message);
        this.header = header;
    }

    /**
     * Returns the name of the header that should have had the id; {@code null} if it was not looked for in a header.
     */
    public @Nullable String header() {
        return header;
    }
}
