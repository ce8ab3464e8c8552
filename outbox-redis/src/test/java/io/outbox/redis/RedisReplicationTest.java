package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.Outbox;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A primary with a replica, which may lag behind and take over. */
class RedisReplicationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private RedisServer primary;
    private RedisServer replica;
    private RedisClient client;

    @BeforeEach
    void start() {
        primary = RedisServer.start("--repl-diskless-sync-delay", "0");
        replica = RedisServer.start(
                "--replicaof",
                "127.0.0.1 " + primary.port(),
                "--masterauth",
                primary.password(),
                "--repl-timeout",
                "60");
        client = RedisClient.create(Redis.RESOURCES);
        await().atMost(PATIENCE)
                .until(() -> commands(replica).info("replication").contains("master_link_status:up"));
    }

    @AfterEach
    void end() {
        client.shutdown();
        replica.close();
        primary.close();
    }

    private RedisCommands<String, String> commands(RedisServer server) {
        return client.connect(Redis.uri(server)).sync();
    }

    private RedisOutbox waiting() {
        RedisURI uri = Redis.uri(primary);
        return RedisOutbox.builder(uri)
                .clientResources(Redis.RESOURCES)
                .waitForReplicas(1, Duration.ofMillis(500))
                .connect();
    }

    @Test
    void aWriterThatWaitsForReplicasLosesNothingWhenOneIsPromoted() {
        String id;
        String another;
        try (RedisOutbox redis = waiting();
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            id = outbox.writer().write("Kept", "{}");
            another = redis.callInTransaction(commands -> outbox.writer().write("Kept", "{}"));
            redis.runScript(
                    "return 1", List.of(), List.of(), () -> outbox.writer().write("Kept", "{}"));
        }
        primary.kill();
        RedisCommands<String, String> promoted = commands(replica);
        promoted.replicaofNoOne();

        assertThat(StoredEvents.find(promoted, RedisOutbox.DEFAULT_NAME, id)).isPresent();
        assertThat(StoredEvents.find(promoted, RedisOutbox.DEFAULT_NAME, another))
                .isPresent();
        assertThat(promoted.hlen("{outbox}:outbox:event")).isEqualTo(3);
    }

    @Test
    void aWriterIsToldThatReplicasDoNotConfirmThoughTheEventIsStored() {
        try (RedisOutbox redis = waiting();
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            outbox.writer().write("Kept", "{}");
            replica.pause();

            assertThatThrownBy(() -> outbox.writer().write("Unsure", "{}"))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("only 0 of 1 replicas");
            assertThatThrownBy(() ->
                            redis.inTransaction(commands -> outbox.writer().write("Unsure", "{}")))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("only 0 of 1 replicas");

            replica.resume();
            assertThat(redis.backend().counts())
                    .extracting(count -> count.pending())
                    .containsExactlyInAnyOrder(1L, 2L);
        }
    }

    @Test
    void aReplicaIsNotWrittenTo() {
        assertThatThrownBy(() -> RedisOutbox.builder(Redis.uri(replica))
                        .clientResources(Redis.RESOURCES)
                        .connect())
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("replica");
    }
}
