package io.outbox.redis;

import io.outbox.spi.OutboxBackendException;

/** Redis could not be reached, did not answer in time, or refused a command. */
public class RedisOutboxException extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    /** What is known after a failure. */
    enum Kind {
        /** Redis answered, and changed nothing of the outbox. */
        REFUSED,
        /** Redis answered and changed nothing, because it is not the server that takes writes. */
        WRONG_SERVER,
        /** There was no connection, and nothing was sent. */
        UNREACHABLE,
        /** No answer came. */
        CONNECTION,
        /** The caller did not wait for the answer. */
        INTERRUPTED,
        /** Redis answered and did what it was told, but its replicas did not confirm. */
        UNCONFIRMED,
        /** Redis answered and did a part of what it was told. */
        INCOMPLETE
    }

    RedisOutboxException(String message, Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    @Override
    public boolean isWithoutEffect() {
        return kind == Kind.REFUSED || kind == Kind.WRONG_SERVER || kind == Kind.UNREACHABLE;
    }

    /** Returns whether the connection is better not used again. */
    boolean isOfConnection() {
        return kind == Kind.CONNECTION || kind == Kind.WRONG_SERVER;
    }
}
