package io.outbox.redis;

import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Makes connections that take commands.
 *
 * <p>Lettuce hands a connection out a moment before it is active, and one that does not reconnect refuses commands
 * until then. So each is asked for a sign of life, again and again for as long as it is open and only refuses. Every
 * attempt ends within the timeout of commands and that of connecting, also on a network that swallows everything, since
 * callers share attempts. Thread-safe.
 */
final class RedisConnecting implements AutoCloseable {

    private static final Executor SOON = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

    private static final int MOST_ATTEMPTS = 6;

    private final RedisClient client;
    private final ServerAddress address;
    private volatile boolean closed;

    RedisConnecting(RedisClient client, ServerAddress address) {
        this.client = client;
        this.address = address;
    }

    /** Returns whether the next connection may lead to another server after one was {@linkplain #doubt doubted}. */
    boolean mayMove() {
        return address.mayMove();
    }

    /** Says that the server of the last connections is gone, silent, or takes no writes. */
    void doubt() {
        address.doubt();
    }

    CompletableFuture<StatefulRedisConnection<String, String>> connect() {
        return connect(uri -> client.connectAsync(StringCodec.UTF8, uri));
    }

    CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub() {
        return connect(uri -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    }

    private <C extends StatefulRedisConnection<String, String>> CompletableFuture<C> connect(
            Function<RedisURI, ConnectionFuture<C>> connecting) {
        if (closed) {
            return CompletableFuture.failedFuture(isClosed());
        }
        try {
            return address.find()
                    .thenCompose(uri -> explained(() -> connecting.apply(uri), MOST_ATTEMPTS, deadline()))
                    .thenCompose(made -> ready(made, deadline()))
                    .whenComplete((made, failure) -> {
                        if (failure != null) {
                            address.doubt();
                        }
                    });
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e); // the client was closed in between
        }
    }

    /**
     * Connects, and tries again if the client cannot say why it failed: when a server refuses a password, the end of
     * the connection sometimes overtakes the reason.
     */
    private <C> CompletableFuture<C> explained(Supplier<ConnectionFuture<C>> connecting, int attempts, long deadline) {
        return connecting.get().toCompletableFuture().exceptionallyCompose(failure -> {
            Throwable root = root(failure);
            boolean isUnexplained = root instanceof RedisConnectionException || root instanceof IllegalStateException;
            return isUnexplained && attempts > 1 && !closed && deadline - System.nanoTime() > 0
                    ? explained(connecting, attempts - 1, deadline)
                    : CompletableFuture.failedFuture(failure);
        });
    }

    private static Throwable root(Throwable failure) {
        return failure.getCause() == null ? failure : root(failure.getCause());
    }

    private <C extends StatefulRedisConnection<String, String>> CompletableFuture<C> ready(C made, long deadline) {
        long left = deadline - System.nanoTime();
        CompletableFuture<C> alive = made.async().ping().toCompletableFuture().thenApply(pong -> made);
        return alive.orTimeout(left, TimeUnit.NANOSECONDS)
                .thenApply(this::unlessClosed)
                .exceptionallyCompose(failure -> {
                    if (mayBecomeReady(made, failure) && deadline - System.nanoTime() > 0) {
                        return CompletableFuture.runAsync(() -> {}, SOON).thenCompose(waited -> ready(made, deadline));
                    }
                    made.closeAsync();
                    return CompletableFuture.failedFuture(failure);
                });
    }

    private boolean mayBecomeReady(StatefulRedisConnection<String, String> made, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return !closed && made.isOpen() && !(cause instanceof RedisCommandExecutionException);
    }

    /** Lets no connection stay that was made while the client closed those that it knew. */
    private <C> C unlessClosed(C made) {
        if (closed) {
            throw isClosed();
        }
        return made;
    }

    private long deadline() {
        return System.nanoTime() + address.timeout().toNanos();
    }

    private static IllegalStateException isClosed() {
        return new IllegalStateException("the outbox in Redis is closed");
    }

    /** Makes no connection any more; those that are there end with the client. */
    @Override
    public void close() {
        closed = true;
    }
}
