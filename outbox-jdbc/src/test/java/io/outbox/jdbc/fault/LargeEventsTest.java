package io.outbox.jdbc.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events that are few and large: together bigger than the heap of the node that writes and delivers them. */
class LargeEventsTest {

    private static final Load SMALL = new Load("-Xmx96m", 110);
    private static final Load LARGE = new Load("-Xmx256m", 600);
    private static final int WAYS = 3;
    private static final long ENDS_WITHIN_SECONDS = 600;

    /** The heap of the node, and how many events are written in each way. */
    private record Load(String heap, int events) {}

    @TempDir
    Path directory;

    /**
     * Memory is a matter of the engine, which a single node and several share; the other four run with the long tests.
     */
    @ParameterizedTest
    @CsvSource({"H2, false", "POSTGRESQL, true", "MYSQL, true", "MARIADB, false"})
    void largeEventsAreDeliveredOnceEachWithASmallHeap(TestDatabase database, boolean several) throws Exception {
        deliver(database, several, SMALL);
    }

    @ParameterizedTest
    @CsvSource({"H2, true", "POSTGRESQL, false", "MYSQL, false", "MARIADB, true"})
    @Tag("soak")
    void soAreThoseOfOtherNodes(TestDatabase database, boolean several) throws Exception {
        deliver(database, several, SMALL);
    }

    @ParameterizedTest
    @CsvSource({"H2, true", "POSTGRESQL, true", "MYSQL, false", "MARIADB, true"})
    @Tag("soak")
    void soAreVeryMany(TestDatabase database, boolean several) throws Exception {
        deliver(database, several, LARGE);
    }

    private void deliver(TestDatabase database, boolean several, Load load) throws Exception {
        String url = database == TestDatabase.H2
                ? "jdbc:h2:file:" + directory.resolve("outbox") + ";CACHE_SIZE=4096"
                : database.newUrl();
        Path output = directory.resolve("node.out");
        List<String> command =
                ChildJvm.command(List.of(load.heap, "-XX:+ExitOnOutOfMemoryError"), LargeEventsMain.class);
        command.addAll(List.of(url, Boolean.toString(several), Integer.toString(load.events)));
        Process node = new ProcessBuilder(command)
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
        try (HikariDataSource pool = TestDatabase.pool(url, 1)) {
            assertThat(OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE status = 1 AND attempts = 0"))
                    .as(Files.readString(output))
                    .isEqualTo(WAYS * load.events);
        }
    }
}
