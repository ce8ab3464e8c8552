package io.outbox.inbox;

import org.jspecify.annotations.Nullable;

/**
 * Finds the id of the event that a message brings. Called before the transaction; what it throws comes out as it was.
 */
@FunctionalInterface
public interface EventIdExtractor<T> {

    /**
     * Returns the id: a {@link java.util.UUID}, a {@link CharSequence} or the bytes of text in UTF-8; {@code null} if
     * the message has none.
     */
    @Nullable
    Object eventIdOf(T message);
}
