package io.outbox.samples.multids;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MultiDataSourceDemoTest {

    @Test
    void carriesEveryOrderFromOneDatabaseToTheOtherAndExitsByItself(@TempDir Path directory) throws Exception {
        // given
        Path output = directory.resolve("output.txt");
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MultiDataSourceDemo.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();

        // when
        boolean exited = demo.waitFor(120, TimeUnit.SECONDS);
        demo.destroyForcibly();

        // then
        List<String> lines = Files.readAllLines(output);
        assertThat(exited).as("ended by itself; output: %s", lines).isTrue();
        assertThat(demo.exitValue()).as("exit code; output: %s", lines).isZero();
        assertThat(lines)
                .contains(
                        "orders:  order 1 placed, OrderPlaced written",
                        "billing: invoice for order 1 issued, InvoiceIssued written",
                        "mail:    invoice for order 1 sent",
                        "mail:    invoice for order 2 sent",
                        "mail:    invoice for order 3 sent",
                        "refused: an event for the billing outbox in a transaction of the orders database",
                        "orders    3",
                        "billing   3")
                .noneMatch(line -> line.contains("Exception"));
    }
}
