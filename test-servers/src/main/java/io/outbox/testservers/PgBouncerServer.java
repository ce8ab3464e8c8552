package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;

/**
 * PgBouncer in transaction mode before a PostgreSQL server, from the system's package {@code pgbouncer}. The URL of a
 * database behind it is that of the server with this port.
 */
public final class PgBouncerServer extends TestServer {

    private static final Path PROGRAM = Path.of("/usr/sbin/pgbouncer");
    private static final String FETCHING = "bin/newer-server";
    private static final String SETTINGS = """
            [databases]
            * = host=127.0.0.1 port=%d user=outbox
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = %d
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 10
            max_client_conn = 100
            ignore_startup_parameters = extra_float_digits
            """;

    private final PostgresServer postgres;
    private final Path program;
    private final String ownSettings;

    private PgBouncerServer(PostgresServer postgres, Path program, String ownSettings) {
        super("PgBouncer");
        this.postgres = postgres;
        this.program = program;
        this.ownSettings = ownSettings;
    }

    /** Starts a pooler for the caller alone, who closes it. */
    public static PgBouncerServer start(PostgresServer postgres) {
        PgBouncerServer server = new PgBouncerServer(postgres, PROGRAM, "");
        server.launch();
        return server;
    }

    /**
     * Starts one of a version that can prepare the statements of its clients anew, and keeps so many of each; 0 for
     * none. It is downloaded if it is not there.
     */
    public static PgBouncerServer startNewer(PostgresServer postgres, int preparedStatements) {
        PgBouncerServer server =
                new PgBouncerServer(postgres, newerProgram(), "max_prepared_statements = " + preparedStatements);
        server.launch();
        return server;
    }

    private static Path newerProgram() {
        Path root = Path.of("").toAbsolutePath();
        while (root != null && !Files.isExecutable(root.resolve(FETCHING))) {
            root = root.getParent();
        }
        if (root == null) {
            throw new IllegalStateException("No " + FETCHING + " in this directory or one above it");
        }
        try {
            String output = ServerCache.run(
                    List.of(root.resolve(FETCHING).toString(), "trixie", "pgbouncer"), InputStream.nullInputStream());
            return Path.of(output.strip().lines().reduce((first, last) -> last).orElseThrow());
        } catch (IOException e) {
            throw new IllegalStateException("A newer PgBouncer cannot be fetched", e);
        }
    }

    /** Returns the URL by which a database of the server is reached through this pooler. */
    public String urlOf(String directUrl) {
        return directUrl.replace(":" + postgres.port() + "/", ":" + port() + "/");
    }

    @Override
    void prepare(Path data) throws IOException {
        if (!Files.isExecutable(program)) {
            throw new IOException("PgBouncer is not installed; run\n    apt-get install -y pgbouncer");
        }
        Files.createDirectory(data);
    }

    /** It refuses to run as root; in a user namespace of its own it does not see that it is. */
    @Override
    List<String> command(Path data, int port) {
        Path settings = data.resolve("pgbouncer.ini");
        try {
            Files.writeString(settings, SETTINGS.formatted(postgres.port(), port) + ownSettings);
        } catch (IOException e) {
            throw new IllegalStateException("The settings of PgBouncer cannot be written", e);
        }
        List<String> command = new ArrayList<>();
        if (Users.isRoot()) {
            command.addAll(List.of("unshare", "--user"));
        }
        command.addAll(List.of(program.toString(), settings.toString()));
        return command;
    }

    @Override
    void ping(Path data, int port) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port
                + "/postgres?user=outbox&password=outbox&prepareThreshold=0&connectTimeout=2&socketTimeout=2")) {
            if (!connection.isValid(2)) {
                throw new IOException("PgBouncer does not answer");
            }
        }
    }
}
