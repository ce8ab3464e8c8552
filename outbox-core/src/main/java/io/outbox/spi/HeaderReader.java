package io.outbox.spi;

import org.jspecify.annotations.Nullable;

/**
 * Reads headers of one kind of message, so that idempotent consumers know which event a message brings. It is given to
 * a consumer, or found by {@link java.util.ServiceLoader}. For {@link io.outbox.EventEnvelope} and maps of headers
 * there is one already. Thread-safe.
 *
 * @param <M> the kind of message
 */
public interface HeaderReader<M> {

    /** Returns the kind of message, whose subtypes are read too. */
    Class<M> messageType();

    /**
     * Returns the value of a header: a {@link java.util.UUID}, a {@link CharSequence} or bytes; {@code null} if the
     * message has no such header. A value of another type cannot be an event id.
     */
    @Nullable
    Object header(M message, String name);
}
