package io.outbox.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Makes connections that take commands.
 *
 * <p>Lettuce hands a connection out a moment before it is active, and one that does not reconnect refuses commands until then.
 * So each is asked for a sign of life, again and again for as long as it is open and only refuses. Thread-safe.
 */
record RedisConnecting(RedisClient client, RedisURI uri) {

    private static final int MOST_ATTEMPTS = 1_000;
    private static final Executor SOON = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

    CompletableFuture<StatefulRedisConnection<String, String>> connect() {
        return client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture().thenCompose(made -> ready(made, 1));
    }

    private static CompletableFuture<StatefulRedisConnection<String, String>> ready(
            StatefulRedisConnection<String, String> made, int attempt) {
        return made.async().ping().toCompletableFuture().thenApply(pong -> made).exceptionallyCompose(failure -> {
            if (attempt < MOST_ATTEMPTS && made.isOpen() && !isAnswer(failure)) {
                return CompletableFuture.runAsync(() -> {}, SOON).thenCompose(waited -> ready(made, attempt + 1));
            }
            made.closeAsync();
            return CompletableFuture.failedFuture(failure);
        });
    }

    private static boolean isAnswer(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof RedisCommandExecutionException;
    }
}
