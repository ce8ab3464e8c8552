package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Outboxes that find their way in a cluster of three nodes. */
class RedisClusterClientTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int SOME = 100;

    private final RedisClusterNodes cluster = new RedisClusterNodes();

    @AfterEach
    void end() {
        cluster.close();
    }

    private RedisOutbox.Builder builder(String name) {
        return RedisOutbox.clusterBuilder(cluster.uris()).name(name).clientResources(Redis.RESOURCES);
    }

    private static Outbox deliver(RedisOutbox redis, Load load) {
        return Outbox.multiNode()
                .backend(redis.backend())
                .wakeUp(redis.wakeUp())
                .claimLocking(LEASE)
                .ordering(Ordering.byKey())
                .listenerRegistry(new DefaultListenerRegistry().register(Load.EVENT_TYPE, load.listener()))
                .build();
    }

    @Test
    void severalOutboxesAreEachOnTheNodeOfTheirSlotWhicheverNodeIsNamed() {
        Set<RedisServer> owners = new HashSet<>();
        List<String> names = Stream.iterate(0, i -> i + 1)
                .map(i -> "shop-" + i)
                .filter(name -> owners.add(cluster.firstOwner(name)))
                .limit(cluster.servers().size())
                .toList();
        for (String name : names) {
            for (RedisURI seed : cluster.uris()) {
                List<RedisURI> oneIsDown =
                        List.of(RedisURI.builder(seed).withPort(1).build(), seed);
                try (RedisOutbox redis = RedisOutbox.clusterBuilder(oneIsDown)
                                .name(name)
                                .clientResources(Redis.RESOURCES)
                                .connect();
                        Outbox outbox =
                                Outbox.writerOnly().backend(redis.backend()).build()) {
                    outbox.writer().write("Placed", "{}");
                }
            }
            assertThat(cluster.on(cluster.firstOwner(name)).hlen(new RedisKeys(name).event()))
                    .isEqualTo(cluster.servers().size());
        }
    }

    @Test
    void aSlotThatIsMovedAgainAndAgainUnderLoadLosesAndRepeatsNothing() throws Exception {
        String name = "moving";
        Load load = new Load(name);
        RedisServer owner = cluster.firstOwner(name);
        try (RedisOutbox redis = builder(name).connect();
                RedisOutbox another = builder(name).connect();
                Outbox first = deliver(redis, load);
                Outbox second = deliver(another, load)) {
            load.start(2, redis, first.writer());
            load.start(1, another, second.writer());
            for (RedisServer next : cluster.servers()) {
                if (next != owner) {
                    awaitWrites(load, SOME);
                    cluster.moveSlot(RedisClusterNodes.slot(name), owner, next);
                    owner = next;
                }
            }
            awaitWrites(load, SOME);
            load.stop();

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(load.deliveries().keySet()).containsAll(load.acknowledged()));
        }
        load.requireRunning();
        assertThat(load.deliveries().values()).containsOnly(1);
        assertInOrder(load);
        assertThat(load.deliveries().keySet()).doesNotContainAnyElementsOf(load.refused());
        Layout.of(cluster.on(owner), name).assertConsistent();
    }

    private static void assertInOrder(Load load) {
        assertThat(load.numbersByKey())
                .isNotEmpty()
                .allSatisfy((key, numbers) -> assertThat(numbers).isSorted());
    }

    private static void awaitWrites(Load load, int more) {
        int before = load.acknowledged().size();
        await().atMost(PATIENCE).until(() -> load.acknowledged().size() >= before + more);
    }

    @Test
    void aPromotedReplicaIsFoundWhenThePrimaryIsReplacedOrKilled() throws Exception {
        String name = "promoted";
        Load load = new Load(name);
        RedisServer primary = cluster.firstOwner(name);
        RedisServer replica = cluster.addReplicaOf(primary);
        try (RedisOutbox redis = builder(name).connect();
                Outbox outbox = deliver(redis, load)) {
            load.start(2, redis, outbox.writer());
            awaitWrites(load, SOME);
            cluster.on(replica).clusterFailover(false);
            awaitWrites(load, SOME);
            load.stop();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(load.deliveries().keySet()).containsAll(load.acknowledged()));
            assertThat(load.deliveries().values()).containsOnly(1);
            assertInOrder(load);
            await().atMost(PATIENCE).until(() -> cluster.on(replica).waitForReplication(1, 100) == 1);

            replica.kill();

            String written = await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(RedisOutboxException.class)
                    .until(() -> outbox.writer().write(Load.EVENT_TYPE, "{}"), id -> true);
            await().atMost(PATIENCE).until(() -> load.deliveries().containsKey(written));
        }
        load.requireRunning();
    }
}
