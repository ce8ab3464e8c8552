package io.outbox.samples.demo.tour;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcConnectionPool;

/** An H2 database in a temporary directory that a second process can open too. Closing it deletes it. */
final class DemoDatabase implements AutoCloseable {

    private final Path directory;
    private final String url;
    private final JdbcConnectionPool pool;

    private DemoDatabase(Path directory, String url) {
        this.directory = directory;
        this.url = url;
        this.pool = connect(url);
    }

    static DemoDatabase create() throws IOException {
        // the process that opens the file first serves it to others, which must not be reachable from outside
        System.setProperty("h2.bindAddress", "127.0.0.1");
        Path directory = Files.createTempDirectory("outbox-demo-");
        // a process is killed later on, and with its default H2 would forget the last commits
        String url = "jdbc:h2:file:" + directory.toAbsolutePath().resolve("shop") + ";AUTO_SERVER=TRUE;WRITE_DELAY=0";
        return new DemoDatabase(directory, url);
    }

    static JdbcConnectionPool connect(String url) {
        return JdbcConnectionPool.create(url, "sa", "");
    }

    String url() {
        return url;
    }

    JdbcOutbox outboxParts() {
        return JdbcOutbox.of(pool);
    }

    /** Returns the first column of what a query finds. */
    List<String> query(String sql, Object... params) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getString(1), params);
        }
    }

    int count(String sql, Object... params) throws SQLException {
        return Integer.parseInt(query(sql, params).get(0));
    }

    @Override
    public void close() throws IOException, SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "SHUTDOWN");
        } finally {
            pool.dispose();
            deleteDirectory();
        }
    }

    private void deleteDirectory() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(DemoDatabase::delete);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
