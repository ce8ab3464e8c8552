package io.outbox.samples.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisDemoTest {

    private static final long LONGEST_SECONDS = 180;

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        Path output = directory.resolve("output.txt");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        RedisDemo.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        boolean exited = demo.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
        demo.destroyForcibly();

        List<String> lines =
                Files.readAllLines(output).stream().map(String::strip).toList();
        assertThat(exited).as("ended by itself; output: %s", lines).isTrue();
        assertThat(demo.exitValue()).as("exit code; output: %s", lines).isZero();
        assertThat(lines)
                .contains("delivered: ShopVisited {\"customer\":\"Ada\"}")
                .contains("delivered: OrderPlaced {\"order\":\"first\"}")
                .contains("take 3 of 5: taken")
                .contains("take 3 of 2: refused, and no event")
                .anyMatch(line -> line.matches("acknowledged 300, delivered 30\\d, more than once \\d+"))
                .endsWith("Nothing was lost.");
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox"));
    }
}
