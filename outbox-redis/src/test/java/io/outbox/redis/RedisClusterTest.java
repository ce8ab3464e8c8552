package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.outbox.EventEnvelope;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cluster of two nodes, of which one has the outbox's slot. */
class RedisClusterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String NAME = RedisOutbox.DEFAULT_NAME;
    private static final int SLOT = SlotHash.getSlot("{" + NAME + "}:outbox:event");

    private final RedisServer first = RedisServer.start("--cluster-enabled", "yes");
    private final RedisServer second = RedisServer.start("--cluster-enabled", "yes");
    private final RedisClient client = RedisClient.create(Redis.RESOURCES);
    private final RedisCommands<String, String> onFirst =
            client.connect(Redis.uri(first)).sync();
    private final RedisCommands<String, String> onSecond =
            client.connect(Redis.uri(second)).sync();

    @BeforeEach
    void meet() {
        onFirst.clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT)
                .filter(slot -> slot != 0)
                .toArray());
        onSecond.clusterAddSlots(0);
        onFirst.clusterMeet("127.0.0.1", second.port());
        await().atMost(PATIENCE)
                .until(() -> onFirst.clusterInfo().contains("cluster_state:ok")
                        && onSecond.clusterInfo().contains("cluster_state:ok"));
    }

    @AfterEach
    void end() {
        client.shutdown();
        second.close();
        first.close();
    }

    @Test
    void aNodeWithoutTheSlotIsRefusedAtTheStart() {
        assertThatThrownBy(() -> Redis.connect(Redis.uri(second), NAME))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("does not have the outbox's hash slot")
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("MOVED " + SLOT + " 127.0.0.1:" + first.port());
    }

    @Test
    void whenTheSlotHasMovedEveryWriteIsRefusedAsAWhole() {
        String order = "{" + NAME + "}:order";
        try (RedisOutbox redis = Redis.connect(Redis.uri(first), NAME)) {
            moveSlot();
            Runnable write =
                    () -> redis.backend().persist(List.of(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null)));

            for (Runnable way : List.<Runnable>of(
                    write,
                    () -> redis.inTransaction(commands -> {
                        commands.set(order, "placed");
                        write.run();
                    }),
                    () -> redis.runScript(
                            "return redis.call('SET', KEYS[1], '1')", List.of(order), List.of(), write))) {
                assertThatThrownBy(way::run)
                        .isInstanceOf(RedisOutboxException.class)
                        .hasMessageContaining("nothing was written")
                        .hasMessageContaining("MOVED " + SLOT);
            }
        }

        assertThat(onFirst.dbsize() + onSecond.dbsize()).isZero();
    }

    /** Key after key, while an application goes on: what meets one that is gone already fails as a whole. */
    @Test
    void whileTheSlotIsMovedNothingIsHalfWritten() {
        String body = "{" + NAME + "}:outbox:body";
        String present = "{" + NAME + "}:present";
        try (RedisOutbox redis = Redis.connect(Redis.uri(first), NAME)) {
            OutboxBackend backend = redis.backend();
            Runnable write = () -> backend.persist(List.of(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null)));
            write.run();
            onFirst.set(present, "before");
            onSecond.clusterSetSlotImporting(SLOT, onFirst.clusterMyId());
            onFirst.clusterSetSlotMigrating(SLOT, onSecond.clusterMyId());
            move(onFirst, second, body);

            Lease lease = new Lease("node", Duration.ofMinutes(1));
            Runnable writeInOrder = () -> backend.persist(List.of(
                    NewEvent.unowned(EventEnvelope.ofJson("Placed", "{}")).withOrderKey("k")));
            for (Runnable operation : List.<Runnable>of(
                    write,
                    () -> redis.inTransaction(commands -> {
                        commands.set(present, "after");
                        write.run();
                    }),
                    writeInOrder,
                    () -> redis.runScript("return 1", List.of(), List.of(), write),
                    () -> redis.runScript("return 1", List.of(), List.of(), writeInOrder),
                    () -> backend.claim(ClaimRequest.first(lease, Instant.now().plusSeconds(60), 10)))) {
                assertThatThrownBy(operation::run)
                        .isInstanceOf(RedisOutboxException.class)
                        .hasMessageContaining("hash slot is being moved to another node")
                        .hasMessageContaining("nothing was written");
            }

            assertThat(onFirst.hlen("{" + NAME + "}:outbox:event")).isEqualTo(1);
            assertThat(onFirst.get(present)).isEqualTo("before");
            assertThat(onFirst.zcard("{" + NAME + "}:outbox:free:Placed")).isEqualTo(1);
            assertThat(onFirst.smembers("{" + NAME + "}:outbox:types")).containsExactly("Placed");
        }
    }

    private static void move(RedisCommands<String, String> from, RedisServer to, String key) {
        from.migrate(
                "127.0.0.1", to.port(), 0, 5_000, MigrateArgs.Builder.key(key).auth(to.password()));
    }

    private void moveSlot() {
        onFirst.del("{" + NAME + "}:outbox:schema");
        String target = onSecond.clusterMyId();
        onSecond.clusterSetSlotNode(SLOT, target);
        onFirst.clusterSetSlotNode(SLOT, target);
    }
}
