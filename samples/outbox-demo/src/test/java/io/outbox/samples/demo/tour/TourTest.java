package io.outbox.samples.demo.tour;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.samples.demo.Demo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TourTest {

    /** It takes about ten seconds on a machine that has nothing else to do. */
    private static final long LONGEST_SECONDS = 180;

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        // given
        Path output = directory.resolve("output.txt");
        Path temporaryFiles = Files.createDirectory(directory.resolve("tmp"));
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Djava.io.tmpdir=" + temporaryFiles,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Demo.class.getName(),
                        "--once")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        // when
        boolean exited = demo.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS);
        List<ProcessHandle> children = demo.descendants().toList();
        demo.destroyForcibly();

        // then
        List<String> lines =
                Files.readAllLines(output).stream().map(String::strip).toList();
        assertThat(exited).as("ended by itself; output: %s", lines).isTrue();
        assertThat(demo.exitValue()).as("exit code; output: %s", lines).isZero();
        assertScenesIn(lines);
        assertSummaryIn(lines);
        assertThat(lines).as("plain when piped").noneMatch(line -> line.contains("\u001b"));
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox"));
        assertThat(children).as("processes left").isEmpty();
        assertThat(filesIn(temporaryFiles)).as("files left").isEmpty();
    }

    private static void assertScenesIn(List<String> lines) {
        assertThat(lines)
                .anyMatch(line -> line.matches("order 1: OrderPlaced delivered [\\d.]+ ms later"))
                .contains("order 3: 0 rows in the outbox table, nothing to deliver")
                .anyMatch(line ->
                        line.matches("from the start of COMMIT to the listener: median [\\d.]+ ms, slowest [\\d.]+ ms"))
                .anyMatch(line -> line.matches("attempt 2, after +\\d+ ms: failed, the payment service is busy"))
                .anyMatch(line -> line.matches("attempt 3, after +\\d+ ms: paid"))
                .anyMatch(line -> line.matches("delivered (1[5-9]|[2-9]\\d)\\d\\d ms after it was written"))
                .anyMatch(line -> line.startsWith("after 3 attempts the event is DEAD: "))
                .contains("delivered; dead letters left: 0")
                .anyMatch(line -> line.matches("kill -9 \\d+: exit code 137"))
                .anyMatch(line -> line.matches("5 of 5 delivered [\\d.]+ s after the kill"));
    }

    private static void assertSummaryIn(List<String> lines) {
        assertThat(lines)
                .anyMatch(line -> line.matches("events committed +310"))
                .anyMatch(line -> line.matches("events delivered +310"))
                .anyMatch(line -> line.matches("delivered twice +0"))
                .anyMatch(line -> line.matches("rolled back and yet delivered +0"))
                .anyMatch(line -> line.matches("not finished in the table +0"))
                .anyMatch(line -> line.matches("failed attempts that were retried +4 .*"))
                .anyMatch(line -> line.matches("dead letters / replayed +1 / 1 .*"))
                .anyMatch(line -> line.matches("taken over from the killed process +5 .*"))
                .contains("Every committed event was delivered once, the rolled-back one never.");
    }

    private static List<Path> filesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }
}
