package io.outbox.samples.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testservers.ProgramRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerDemoTest {

    /** It takes about fifteen seconds on a machine that has nothing else to do. */
    private static final Duration LONGEST = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        // when
        ProgramRun demo = ProgramRun.of(BrokerDemo.class, directory, LONGEST);

        // then
        List<String> lines = demo.lines();
        assertScenesIn(lines);
        assertSummaryIn(lines);
        assertThat(lines).as("plain when piped").noneMatch(line -> line.contains("\u001b"));
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox") || line.contains("SLF4J"));
        assertThat(demo.left()).as("processes left").isEmpty();
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
