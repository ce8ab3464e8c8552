package io.outbox.redis;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The server that tests share, and names for outboxes on it. It is a cluster of one, so that a script which touched
 * keys of two slots would be refused.
 */
final class Redis {

    static final ClientResources RESOURCES = DefaultClientResources.create();

    private static final int SLOTS = 16_384;
    private static final AtomicInteger NAMES = new AtomicInteger();

    private Redis() {}

    /** The server, and a connection to look at what it holds. */
    private static final class Shared {
        static final RedisServer SERVER =
                RedisServer.start("--appendonly", "yes", "--appendfsync", "no", "--cluster-enabled", "yes");
        static final StatefulRedisConnection<String, String> CONNECTION =
                RedisClient.create(RESOURCES, uri(SERVER)).connect();

        static {
            CONNECTION.sync().clusterAddSlots(IntStream.range(0, SLOTS).toArray());
            await().pollInSameThread()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> CONNECTION.sync().clusterInfo().contains("cluster_state:ok"));
        }
    }

    static RedisServer server() {
        return Shared.SERVER;
    }

    static RedisCommands<String, String> commands() {
        return Shared.CONNECTION.sync();
    }

    static RedisURI uri(RedisServer server) {
        return uri(server, server.port());
    }

    /** Returns the server's address by way of another port. */
    static RedisURI uri(RedisServer server, int port) {
        return RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(port)
                .withPassword(server.password().toCharArray())
                .withTimeout(Duration.ofSeconds(30))
                .build();
    }

    /** Returns a name that no other outbox on the shared server has. */
    static String newName() {
        return "test-" + NAMES.incrementAndGet();
    }

    /** Connects to an outbox of its own on the shared server. */
    static RedisOutbox newOutbox() {
        return connect(uri(server()), newName());
    }

    static RedisOutbox connect(RedisURI uri, String name) {
        return RedisOutbox.builder(uri).name(name).clientResources(RESOURCES).connect();
    }
}
