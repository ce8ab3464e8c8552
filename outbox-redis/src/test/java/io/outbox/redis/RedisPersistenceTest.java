package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.testservers.RedisServer;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is left after the machine, and with it what Redis had not yet forced to disk, is gone. */
class RedisPersistenceTest {

    private static final String ORDERS = "{outbox}:orders";

    private final RedisServer server =
            RedisServer.start("--appendonly", "yes", "--appendfsync", "everysec", "--aof-load-truncated", "yes");
    private final RedisClient client = RedisClient.create(Redis.RESOURCES, Redis.uri(server));

    @AfterEach
    void end() {
        client.shutdown();
        server.close();
    }

    /** The end of the log is cut off, as if the last second had not reached the disk. */
    @Test
    void everysecMayLoseTheLastWritesButNeverHalfOfOne() throws Exception {
        List<String> written = new ArrayList<>();
        try (RedisOutbox redis = Redis.connect(Redis.uri(server), RedisOutbox.DEFAULT_NAME);
                Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
            for (int i = 0; i < 30; i++) {
                written.add(writeWithOrder(redis, outbox.writer(), i));
            }
        }

        for (int cut = 1; cut <= 5; cut++) {
            server.kill();
            truncateLog(100 * cut + 37);
            server.restart();

            RedisCommands<String, String> commands = client.connect().sync();
            List<String> left = commands.hkeys("{outbox}:outbox:event");
            assertThat(left).as("a prefix of what was written").hasSizeLessThan(written.size());
            assertThat(left).containsExactlyInAnyOrderElementsOf(written.subList(0, left.size()));
            assertThat(commands.smembers(ORDERS)).isEqualTo(Set.copyOf(left));
            Layout.of(commands, RedisOutbox.DEFAULT_NAME).assertConsistent();
        }
    }

    private static String writeWithOrder(RedisOutbox redis, OutboxWriter writer, int i) {
        String id = String.format("order-%02d", i);
        EventEnvelope event =
                EventEnvelope.builder("Placed").eventId(id).payloadJson("{}").build();
        if (i % 2 == 0) {
            redis.inTransaction(commands -> {
                commands.sadd(ORDERS, id);
                writer.write(event);
            });
        } else {
            redis.runScript(
                    "return redis.call('SADD', KEYS[1], ARGV[1])",
                    List.of(ORDERS),
                    List.of(id),
                    () -> writer.write(event));
        }
        return id;
    }

    private void truncateLog(long bytes) throws IOException {
        Path log = log();
        try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - bytes);
        }
    }

    private Path log() throws IOException {
        try (Stream<Path> files = Files.walk(server.dataDirectory())) {
            return files.filter(file -> file.toString().endsWith(".incr.aof"))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
