package io.outbox.redis;

import static org.awaitility.Awaitility.await;

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
import java.util.stream.IntStream;

/** A Redis Cluster of three primaries, each with a third of the slots; replicas can be added. */
final class RedisClusterNodes implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PRIMARIES = 3;

    private final String password = UUID.randomUUID().toString();
    private final RedisClient client = RedisClient.create(Redis.RESOURCES);
    private final List<RedisServer> servers = new ArrayList<>();
    private final Map<RedisServer, RedisCommands<String, String>> commands = new HashMap<>();

    RedisClusterNodes() {
        for (int i = 0; i < PRIMARIES; i++) {
            RedisServer server = add();
            int[] slots = IntStream.range(
                            i * SlotHash.SLOT_COUNT / PRIMARIES, (i + 1) * SlotHash.SLOT_COUNT / PRIMARIES)
                    .toArray();
            on(server).clusterAddSlots(slots);
        }
        awaitReady(PRIMARIES);
    }

    private RedisServer add() {
        RedisServer server = RedisServer.startClusterNode(
                password, "--cluster-node-timeout", "2000", "--repl-diskless-sync-delay", "0");
        if (!servers.isEmpty()) {
            on(server).clusterMeet("127.0.0.1", servers.get(0).port());
        }
        servers.add(server);
        return server;
    }

    /** Adds a replica of a primary, and waits until it has what the primary has. */
    RedisServer addReplicaOf(RedisServer primary) {
        RedisServer replica = add();
        awaitReady(servers.size());
        on(replica).clusterReplicate(on(primary).clusterMyId());
        await().atMost(PATIENCE).until(() -> on(replica).info("replication").contains("master_link_status:up"));
        awaitReady(servers.size());
        return replica;
    }

    private void awaitReady(int nodes) {
        for (RedisServer server : servers) {
            await().atMost(PATIENCE)
                    .until(() -> on(server).clusterInfo().contains("cluster_state:ok")
                            && on(server).clusterInfo().contains("cluster_known_nodes:" + nodes));
        }
    }

    RedisCommands<String, String> on(RedisServer server) {
        return commands.computeIfAbsent(
                server, to -> client.connect(Redis.uri(to)).sync());
    }

    List<RedisServer> servers() {
        return List.copyOf(servers);
    }

    List<RedisURI> uris() {
        return servers.stream().map(Redis::uri).toList();
    }

    /** Returns the node that had the slot of an outbox when the cluster was made. */
    RedisServer firstOwner(String name) {
        return servers.get(slot(name) * PRIMARIES / SlotHash.SLOT_COUNT);
    }

    static int slot(String name) {
        return SlotHash.getSlot(new RedisKeys(name).event());
    }

    /** Moves a slot key by key, as the tools of Redis do. */
    void moveSlot(int slot, RedisServer from, RedisServer to) {
        on(to).clusterSetSlotImporting(slot, on(from).clusterMyId());
        on(from).clusterSetSlotMigrating(slot, on(to).clusterMyId());
        for (List<String> keys = keys(slot, from); !keys.isEmpty(); keys = keys(slot, from)) {
            for (String key : keys) {
                on(from).migrate(
                                "127.0.0.1",
                                to.port(),
                                0,
                                PATIENCE.toMillis(),
                                MigrateArgs.Builder.key(key).auth(password));
            }
        }
        String target = on(to).clusterMyId();
        on(to).clusterSetSlotNode(slot, target);
        on(from).clusterSetSlotNode(slot, target);
        servers.stream()
                .filter(server -> server != to && server != from)
                .forEach(server -> on(server).clusterSetSlotNode(slot, target));
    }

    private List<String> keys(int slot, RedisServer server) {
        return on(server).clusterGetKeysInSlot(slot, 100);
    }

    @Override
    public void close() {
        client.shutdown();
        servers.forEach(RedisServer::close);
    }
}
