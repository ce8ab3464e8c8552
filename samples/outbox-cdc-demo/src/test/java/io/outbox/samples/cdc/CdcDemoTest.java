package io.outbox.samples.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testservers.ProgramRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdcDemoTest {

    private static final Duration LONGEST = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    @Test
    void showsEverySceneAndExitsByItself() throws Exception {
        ProgramRun demo = ProgramRun.of(CdcDemo.class, directory, LONGEST);

        List<String> lines = demo.lines();
        assertThat(lines)
                .anyMatch(line ->
                        line.startsWith("topic Order, key 1, value {\"total\":42}, ") && line.endsWith("trace=4711"))
                .anyMatch(line -> line.startsWith("topic Order, key 1, value 3 bytes"))
                .anyMatch(line -> line.startsWith("topic Order, key 1, value none (a tombstone)"))
                .anyMatch(line -> line.startsWith("topic events, key none, value {}"))
                .noneMatch(line -> line.contains("key 2"))
                .anyMatch(line -> line.startsWith("topic Order, key 3"))
                .anyMatch(line -> line.matches("bytes to read: [1-9]\\d*"))
                .contains("rows left after the purge by age: 0")
                .anyMatch(line -> line.startsWith("topic Order, key 6"))
                .endsWith("Nothing was lost, though the table is empty.");
        assertThat(lines).noneMatch(line -> line.contains("at io.outbox"));
        assertThat(demo.left()).as("processes left").isEmpty();
    }
}
