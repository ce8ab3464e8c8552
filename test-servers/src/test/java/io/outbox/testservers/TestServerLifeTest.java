package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TestServerLifeTest {

    /** Starts one server that runs, one that is paused and one that was restarted, then waits for the end. */
    static final class ServerUser {

        private static final List<TestServer> SERVERS =
                List.of(PostgresServer.start(), PostgresServer.start(), MariaDbServer.start());

        public static void main(String[] args) throws IOException, SQLException {
            String url = ((PostgresServer) SERVERS.get(0)).newDatabase();
            try (Connection connection = DriverManager.getConnection(url)) {
                SERVERS.get(1).pause();
                SERVERS.get(2).restart();
                for (TestServer server : SERVERS) {
                    System.out.println(server.pid() + " " + server.directory());
                }
                System.out.println(connection.isClosed() ? "unusable" : "ready");
                System.in.read();
            }
        }
    }

    /** A server that writes to its log and ends. */
    private static final class BrokenServer extends TestServer {

        BrokenServer() {
            super("Broken");
        }

        @Override
        void prepare(Path data) {}

        @Override
        List<String> command(Path data, int port) {
            return List.of("sh", "-c", "echo the disk is on fire; exit 3");
        }

        @Override
        void ping(Path data, int port) throws IOException {
            throw new IOException("down");
        }
    }

    /** A server with a child that has ended and that nobody waits for. */
    private static final class ServerWithZombie extends TestServer {

        ServerWithZombie() {
            super("Zombie");
        }

        @Override
        void prepare(Path data) {}

        @Override
        List<String> command(Path data, int port) {
            return List.of("sh", "-c", "true & exec sleep 600");
        }

        @Override
        void ping(Path data, int port) {}
    }

    @Test
    @Timeout(120)
    void noServerOutlivesAKilledJvm() throws Exception {
        Process jvm = startServerUser();
        List<String> servers;
        try (BufferedReader output = jvm.inputReader()) {
            servers = output.lines().takeWhile(line -> !line.equals("ready")).toList();
            assertThat(servers).hasSize(3);

            jvm.destroyForcibly();
        }

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(servers)
                        .noneMatch(TestServerLifeTest::isAlive)
                        .noneMatch(TestServerLifeTest::hasDirectory));
    }

    @Test
    @Timeout(120)
    void noServerOutlivesAJvmThatEnds() throws Exception {
        Process jvm = startServerUser();
        List<String> servers;
        try (BufferedReader output = jvm.inputReader()) {
            servers = output.lines().takeWhile(line -> !line.equals("ready")).toList();
            assertThat(servers).hasSize(3);

            jvm.getOutputStream().close();
            assertThat(jvm.waitFor()).isZero();
        }

        assertThat(servers).noneMatch(TestServerLifeTest::isAlive).noneMatch(TestServerLifeTest::hasDirectory);
    }

    @Test
    void aServerThatDoesNotComeUpShowsItsLog() {
        BrokenServer server = new BrokenServer();

        assertThatThrownBy(server::launch)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exit code 3")
                .hasMessageContaining("the disk is on fire");
        assertThat(server.isClosed()).isTrue();
    }

    @Test
    void aChildThatHasEndedDoesNotKeepAServerFromBeingPaused() {
        try (ServerWithZombie server = new ServerWithZombie()) {
            server.launch();

            assertThatCode(server::pause).doesNotThrowAnyException();
        }
    }

    private static Process startServerUser() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        ServerUser.class.getName())
                .redirectError(Redirect.DISCARD)
                .start();
    }

    private static boolean isAlive(String server) {
        return ProcessHandle.of(Long.parseLong(server.split(" ")[0])).isPresent();
    }

    private static boolean hasDirectory(String server) {
        return Files.exists(Path.of(server.split(" ")[1]));
    }
}
