package io.outbox.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;

/**
 * A node of a multi-node outbox in a process of its own. It notes deliveries in Redis, and ends when its input does.
 */
final class NodeMain {

    static final int WORKERS = 4;

    private NodeMain() {}

    /** Arguments: address, name of the outbox, name of the node, lease and time of a delivery in milliseconds. */
    public static void main(String[] args) throws Exception {
        RedisURI uri = RedisURI.create(args[0]);
        String node = args[2];
        Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
        long deliveryMs = Long.parseLong(args[4]);
        RedisCommands<String, String> notes = RedisClient.create(uri).connect().sync();
        String journal = args[1] + "-journal";
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(Load.EVENT_TYPE, event -> {
            notes.rpush(journal, node + " " + event.eventId());
            Thread.sleep(deliveryMs);
            return DispatchResult.done();
        });
        try (RedisOutbox redis = RedisOutbox.builder(uri).name(args[1]).connect();
                Outbox outbox = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking(node, lease)
                        .listenerRegistry(listeners)
                        .workerCount(WORKERS)
                        .intervalMs(50)
                        .build()) {
            while (outbox.state() == State.RUNNING && System.in.read() >= 0) {
                // until the parent closes it, or dies
            }
        }
        System.exit(0);
    }
}
