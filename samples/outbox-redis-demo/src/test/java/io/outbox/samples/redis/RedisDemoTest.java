package io.outbox.samples.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testservers.ProgramRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisDemoTest {

    private static final Duration LONGEST = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        ProgramRun demo = ProgramRun.of(RedisDemo.class, directory, LONGEST);

        List<String> lines = demo.lines();
        assertThat(lines)
                .contains("delivered: ShopVisited {\"customer\":\"Ada\"}")
                .contains("delivered: OrderPlaced {\"order\":\"first\"}")
                .contains("take 3 of 5: taken")
                .contains("take 3 of 2: refused, and no event")
                .anyMatch(line -> line.matches("acknowledged 300, delivered 30\\d, more than once \\d+"))
                .endsWith("Nothing was lost.");
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox"));
        assertThat(demo.left()).as("processes left").isEmpty();
    }
}
