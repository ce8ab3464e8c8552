package io.outbox.redis;

import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Where the server is that takes an outbox's writes. Thread-safe. */
interface ServerAddress {

    /** Returns the address, or the search for it. */
    CompletableFuture<RedisURI> find();

    /** Says that the server at the last address is gone, silent, or takes no writes: the next search begins anew. */
    void doubt();

    /** Returns whether another server may take the writes when one no longer does. */
    boolean mayMove();

    /** The time limit of a command. */
    Duration timeout();

    /** Returns the address of one server. With sentinels, the client asks them for it at every connection. */
    static ServerAddress of(RedisURI uri) {
        return new ServerAddress() {
            @Override
            public CompletableFuture<RedisURI> find() {
                return CompletableFuture.completedFuture(uri);
            }

            @Override
            public void doubt() {}

            @Override
            public boolean mayMove() {
                return false;
            }

            @Override
            public Duration timeout() {
                return uri.getTimeout();
            }
        };
    }
}
