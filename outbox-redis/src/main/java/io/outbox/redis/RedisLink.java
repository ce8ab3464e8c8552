package io.outbox.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is made when it is needed, and again after it was lost.
 *
 * <p>The client does not reconnect by itself, because it would send again what was not answered. A command that was
 * executed and whose answer got lost would then be executed twice: an append would meet its own events and take them
 * for duplicates. So a lost connection fails what is under way on it, and the next call makes another. Callers share an
 * attempt to connect. Thread-safe.
 */
final class RedisLink {

    private final RedisConnecting connecting;
    private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> current;

    RedisLink(RedisConnecting connecting) {
        this.connecting = connecting;
    }

    /** Returns the connection, or the attempt to make it. */
    synchronized CompletableFuture<StatefulRedisConnection<String, String>> connection() {
        if (current != null && isLost(current)) {
            current.thenAccept(StatefulRedisConnection::closeAsync);
            current = null;
            connecting.doubt();
        }
        if (current == null) {
            current = connecting.connect();
            current.thenAccept(ServerCheck::lookAgain);
        }
        return current;
    }

    private static boolean isLost(CompletableFuture<StatefulRedisConnection<String, String>> connection) {
        return connection.isDone()
                && (connection.isCompletedExceptionally() || !connection.join().isOpen());
    }

    /** Gives up a connection that does not answer, or not as it should; the next call makes another. */
    synchronized void drop(StatefulRedisConnection<String, String> connection) {
        if (current != null && !current.isCompletedExceptionally() && current.getNow(null) == connection) {
            connection.closeAsync();
            current = null;
            connecting.doubt();
        }
    }

    /** Returns whether the next connection may lead to another server than the one that was given up. */
    boolean mayMove() {
        return connecting.mayMove();
    }
}
