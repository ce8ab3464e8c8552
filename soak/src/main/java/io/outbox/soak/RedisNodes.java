package io.outbox.soak;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The nodes of a Redis Cluster, of which one has the outbox. At first there is one; another is added whenever the
 * outbox is to go there. Used by one thread.
 */
final class RedisNodes implements AutoCloseable {

    private static final int SLOT = SlotHash.getSlot("{outbox}");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int POLL_MS = 50;

    private final String password = UUID.randomUUID().toString();
    private final RedisClient client = RedisClient.create();
    private final List<RedisServer> servers = new ArrayList<>();
    private final Map<RedisServer, RedisCommands<String, String>> commands = new HashMap<>();
    private RedisServer owner;
    private RedisServer next;

    RedisNodes() {
        owner = add();
        on(owner).clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
        await(() -> on(owner).clusterInfo().contains("cluster_state:ok"));
    }

    /** Returns the node that has the outbox. */
    RedisServer owner() {
        return owner;
    }

    RedisCommands<String, String> on(RedisServer server) {
        return commands.computeIfAbsent(server, this::connect);
    }

    private RedisCommands<String, String> connect(RedisServer server) {
        return client.connect(RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(server.port())
                        .withPassword(password.toCharArray())
                        .build())
                .sync();
    }

    private RedisServer add() {
        RedisServer added = RedisServer.startClusterNode(
                password, "--appendonly", "yes", "--appendfsync", "always", "--repl-diskless-sync-delay", "0");
        for (RedisServer server : servers) {
            on(added).clusterMeet("127.0.0.1", server.port());
        }
        servers.add(added);
        for (RedisServer server : servers) {
            await(() -> on(server).clusterInfo().contains("cluster_known_nodes:" + servers.size()));
        }
        return added;
    }

    /** Makes a replica the primary that has all which the old one has acknowledged. */
    void promoteReplica() {
        RedisServer replica = add();
        String primary = on(owner).clusterMyId();
        on(replica).clusterReplicate(primary);
        String id = on(replica).clusterMyId();
        await(() -> on(replica).info("replication").contains("master_link_status:up")
                && servers.stream().allMatch(server -> isReplica(id, primary, server)));
        on(replica).clusterFailover(false);
        await(() -> on(replica).info("replication").contains("role:master")
                && on(owner).info("replication").contains("role:slave"));
        owner = replica;
    }

    /** Returns whether a node knows that another is a replica; those that do not would not vote for it. */
    private boolean isReplica(String id, String primary, RedisServer knowing) {
        return on(knowing)
                .clusterNodes()
                .lines()
                .anyMatch(line -> line.startsWith(id) && line.contains("slave " + primary));
    }

    /** Begins to move the outbox to a new node: the first of its keys is there. */
    void beginToMove() {
        next = add();
        await(() -> on(next).clusterInfo().contains("cluster_state:ok"));
        on(next).clusterSetSlotImporting(SLOT, on(owner).clusterMyId());
        on(owner).clusterSetSlotMigrating(SLOT, on(next).clusterMyId());
        on(owner).clusterGetKeysInSlot(SLOT, 1).forEach(this::migrate);
    }

    void endMove() {
        for (List<String> keys = keys(); !keys.isEmpty(); keys = keys()) {
            keys.forEach(this::migrate);
        }
        String id = on(next).clusterMyId();
        on(next).clusterSetSlotNode(SLOT, id);
        servers.stream().filter(server -> server != next).forEach(server -> tell(server, id));
        owner = next;
    }

    private List<String> keys() {
        return on(owner).clusterGetKeysInSlot(SLOT, 100);
    }

    private void migrate(String key) {
        on(owner)
                .migrate(
                        "127.0.0.1",
                        next.port(),
                        0,
                        PATIENCE.toMillis(),
                        MigrateArgs.Builder.key(key).auth(password));
    }

    /** Replicas take it from their primary. */
    private void tell(RedisServer server, String newOwner) {
        if (on(server).info("replication").contains("role:master")) {
            on(server).clusterSetSlotNode(SLOT, newOwner);
        }
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("The Redis Cluster is not ready after " + PATIENCE);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted", e);
            }
        }
    }

    @Override
    public void close() {
        client.shutdown();
        servers.forEach(RedisServer::close);
    }
}
