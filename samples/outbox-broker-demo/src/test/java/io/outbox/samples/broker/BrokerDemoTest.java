package io.outbox.samples.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerDemoTest {

    /** It takes about fifteen seconds on a machine that has nothing else to do. */
    private static final long LONGEST_SECONDS = 180;

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        // given
        Path output = directory.resolve("output.txt");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        BrokerDemo.class.getName())
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
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox") || line.contains("SLF4J"));
        assertThat(children).as("processes left").isEmpty();
    }

    private static void assertScenesIn(List<String> lines) {
        assertThat(lines)
                .contains("received   key order-1, payload {\"number\":1,\"item\":\"lamp\"}")
                .anyMatch(line -> line.matches("outbox_event_id +\\S+"))
                .anyMatch(line -> line.matches("outbox_event_type +OrderPlaced"))
                .anyMatch(line -> line.matches("outbox_aggregate_type +Order"))
                .anyMatch(line -> line.matches("outbox_aggregate_id +order-1"))
                .anyMatch(line -> line.matches("outbox_occurred_at +\\d{4}-.*Z"))
                .anyMatch(line -> line.matches("channel +web"))
                .noneMatch(line -> line.startsWith("received   key order-3"))
                .anyMatch(line -> line.matches("after [\\d.]+ s the outbox reports as unavailable: \\[OrderPlaced]"))
                .contains("5 events wait in the table, with 0 attempts counted")
                .contains("received   key order-8, payload {\"number\":8,\"item\":\"lamp\"}")
                .contains("skipped    order-1, its outbox_event_id was processed before");
    }

    private static void assertSummaryIn(List<String> lines) {
        assertThat(lines)
                .anyMatch(line -> line.matches("events committed +7"))
                .anyMatch(line -> line.matches("events processed by the warehouse +7"))
                .anyMatch(line -> line.matches("rolled back and yet sent +0"))
                .anyMatch(line -> line.matches("waited in the table during the outage +5"))
                .anyMatch(line -> line.matches("attempts counted for the outage +0"))
                .anyMatch(line -> line.matches("not finished in the table +0"))
                .contains("Every committed event was processed once, the rolled-back one never.");
    }
}
