package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that are few and large: together bigger than the heap of the node that writes and delivers them. */
class LargeEventsTest {

    private static final long ENDS_WITHIN_SECONDS = 300;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"false, false, 1", "false, true, 10", "true, false, 10", "true, true, 1"})
    void largeEventsAreDeliveredOnceEachWithASmallHeap(boolean several, boolean before, int together) throws Exception {
        deliver(several, before, together, new Load("-Xmx96m", 110));
    }

    @ParameterizedTest
    @CsvSource({"false, true, 1", "true, false, 10"})
    @Tag("soak")
    void soAreVeryMany(boolean several, boolean before, int together) throws Exception {
        deliver(several, before, together, new Load("-Xmx256m", 600));
    }

    /** The heap of the node, and how many events there are. */
    private record Load(String heap, int events) {}

    private void deliver(boolean several, boolean before, int together, Load load) throws Exception {
        String name = Redis.newName();
        String address = "redis://:" + Redis.server().password() + "@127.0.0.1:"
                + Redis.uri(Redis.server()).getPort();
        Path output = directory.resolve("node.out");
        Process node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        load.heap,
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LargeEventsMain.class.getName(),
                        address,
                        name,
                        Boolean.toString(several),
                        Boolean.toString(before),
                        Integer.toString(together),
                        Integer.toString(load.events))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(node.waitFor(ENDS_WITHIN_SECONDS, TimeUnit.SECONDS))
                    .as("ended in time: " + Files.readString(output))
                    .isTrue();
        } finally {
            node.destroyForcibly();
        }

        assertThat(node.exitValue()).as(Files.readString(output)).isZero();
        try (RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name)) {
            assertThat(redis.backend().counts()).isEmpty();
            assertThat(redis.backend().purgeDone(Instant.now().plusSeconds(60), 1_000))
                    .isEqualTo(load.events);
        }
    }
}
