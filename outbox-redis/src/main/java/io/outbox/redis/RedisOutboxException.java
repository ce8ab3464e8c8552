package io.outbox.redis;

import io.outbox.spi.OutboxBackendException;
import org.jspecify.annotations.Nullable;

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

    /** What has become of the call: of the commands or the script, and of the events. */
    public enum Effect {
        /** Nothing has happened; the call may be repeated. */
        NONE,
        /** Everything has happened, events included; to repeat the call would do it twice. */
        ALL,
        /** A part has happened, since Redis does not roll back; the message says which. */
        PART,
        /** Nobody knows: no answer came. Look at what is stored before the call is repeated. */
        UNKNOWN
    }

    RedisOutboxException(String message, @Nullable Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    /** Returns what has become of the call that failed. */
    public Effect effect() {
        return switch (kind) {
            case REFUSED, WRONG_SERVER, UNREACHABLE -> Effect.NONE;
            case UNCONFIRMED -> Effect.ALL;
            case INCOMPLETE -> Effect.PART;
            case CONNECTION, INTERRUPTED -> Effect.UNKNOWN;
        };
    }

    @Override
    public boolean isWithoutEffect() {
        return effect() == Effect.NONE;
    }

    /** Returns whether another server takes what this one refused. */
    boolean isOfWrongServer() {
        return kind == Kind.WRONG_SERVER;
    }

    /** Returns whether the connection is better not used again. */
    boolean isOfConnection() {
        return kind == Kind.CONNECTION
                || kind == Kind.WRONG_SERVER
                || getCause() instanceof RedisOutboxException reason && reason.isOfConnection();
    }
}
