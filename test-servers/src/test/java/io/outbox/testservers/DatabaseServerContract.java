package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What every database server of this module does. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class DatabaseServerContract {

    private final DatabaseServer server;

    DatabaseServerContract(DatabaseServer server) {
        this.server = server;
    }

    abstract DatabaseServer shared();

    @AfterAll
    void close() {
        Path directory = server.directory();
        server.close();
        assertThat(Files.exists(directory)).as("data left behind").isFalse();
        assertThatThrownBy(server::kill)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void everyNewDatabaseIsEmptyAndOfItsOwn() throws SQLException {
        String first = server.newDatabase();
        String second = server.newDatabase();
        execute(first, "CREATE TABLE t (n INT)");
        execute(second, "CREATE TABLE t (n INT)");

        execute(first, "INSERT INTO t VALUES (1)");

        assertThat(query(first, "SELECT count(*) FROM t")).isEqualTo("1");
        assertThat(query(second, "SELECT count(*) FROM t")).isEqualTo("0");
        assertThat(server.user()).isEqualTo("outbox");
        assertThat(server.password()).isEqualTo("outbox");
    }

    @Test
    void textKeepsEveryCharacter() throws SQLException {
        String url = server.newDatabase();
        execute(url, "CREATE TABLE t (s VARCHAR(20))");

        execute(url, "INSERT INTO t VALUES ('żółw 🐢')");

        assertThat(query(url, "SELECT s FROM t")).isEqualTo("żółw 🐢");
    }

    @Test
    void committedDataSurviveAKill() throws SQLException {
        String url = server.newDatabase();
        int port = server.port();
        execute(url, "CREATE TABLE t (n INT)");
        execute(url, "INSERT INTO t VALUES (42)");

        server.kill();
        assertThatThrownBy(() -> query(url, "SELECT n FROM t")).isInstanceOf(SQLException.class);
        server.restart();

        assertThat(query(url, "SELECT n FROM t")).isEqualTo("42");
        assertThat(server.port()).isEqualTo(port);
    }

    @Test
    void aPausedServerIsSilentOnOpenConnectionsAndAnswersAfterwards() throws Exception {
        String url = server.newDatabase();
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(query(connection, "SELECT 1")).isEqualTo("1");

            server.pause();
            try {
                CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> query(connection, "SELECT 2"));
                assertThat(answer.completeOnTimeout("silence", 300, TimeUnit.MILLISECONDS))
                        .succeedsWithin(Duration.ofSeconds(30))
                        .isEqualTo("silence");
            } finally {
                server.resume();
            }
        }

        assertThat(query(url, "SELECT 3")).isEqualTo("3");
    }

    @Test
    void theSharedServerIsStartedOnce() throws SQLException {
        DatabaseServer shared = shared();

        assertThat(shared()).isSameAs(shared);
        assertThat(shared).isNotSameAs(server);
        assertThat(query(shared.newDatabase(), "SELECT 1")).isEqualTo("1");
    }

    static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String query(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            return query(connection, sql);
        }
    }

    private static String query(Connection connection, String sql) {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
