package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.tukaani.xz.XZInputStream;

/**
 * A PostgreSQL server with durable settings (the server's defaults: fsync and synchronous commit on) and 300
 * connections.
 *
 * <p>A test that needs other settings takes a server of its own, executes {@code ALTER SYSTEM} and calls {@link
 * #restart()}. One that needs a fail-over has a {@linkplain #startStandby() standby} {@linkplain #promote() promoted}.
 */
public final class PostgresServer extends DatabaseServer {

    private static final String ARCHIVE = "postgres-linux-x86_64.txz";
    /** The file that makes a server a standby. */
    private static final String STANDBY = "standby.signal";

    private static final List<String> INIT_OPTIONS =
            List.of("--username=outbox", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync");
    private static final List<String> SETTINGS = List.of(
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=300",
            // For transactions of several resources.
            "max_prepared_transactions=20",
            "shared_buffers=128MB",
            // Files in the data directory, so that a killed server leaves nothing in shared memory.
            "dynamic_shared_memory_type=mmap");

    private static PostgresServer shared;

    /** The server that this one began as a standby of, or {@code null}. */
    private final PostgresServer primary;

    /** By which port it follows that server. */
    private final int primaryPort;

    private Path home;
    private Path data;

    private PostgresServer() {
        this(null, 0);
    }

    private PostgresServer(PostgresServer primary, int primaryPort) {
        super("PostgreSQL");
        this.primary = primary;
        this.primaryPort = primaryPort;
    }

    /**
     * The server all tests of this JVM share: the one {@code OUTBOX_TEST_POSTGRES_URL} names, else one that this JVM
     * starts on the first call.
     */
    public static synchronized PostgresServer shared() {
        if (shared == null || shared.isClosed()) {
            shared = resolve("OUTBOX_TEST_POSTGRES_URL", 5432, PostgresServer::new);
        }
        return shared;
    }

    /** Starts a server for the caller alone, who closes it. */
    public static PostgresServer start() {
        PostgresServer server = new PostgresServer();
        server.launch();
        return server;
    }

    /** Starts a standby that follows this server by streaming replication, for the caller alone, who closes it. */
    public PostgresServer startStandby() {
        return startStandby(port());
    }

    /** As {@link #startStandby()}, following this server by another port, such as that of a proxy. */
    public PostgresServer startStandby(int port) {
        PostgresServer standby = new PostgresServer(this, port);
        standby.launch();
        return standby;
    }

    /** Makes every commit wait until a standby has it on disk, or none any more. */
    public void replicateSynchronously(boolean on) {
        execute("ALTER SYSTEM SET synchronous_standby_names = '" + (on ? "*" : "") + "'");
        execute("SELECT pg_reload_conf()");
    }

    /** Makes a standby the primary; returns when it takes changes. */
    public void promote() {
        execute("SELECT pg_promote()");
    }

    /**
     * Kills this server and starts it as a standby that follows nobody: what an old primary looks like after a
     * fail-over. It answers queries and refuses changes.
     */
    public void demote() {
        kill();
        try {
            Files.createFile(data.resolve(STANDBY));
        } catch (IOException e) {
            throw new UncheckedIOException("The server cannot be made a standby", e);
        }
        restart();
    }

    @Override
    void prepare(Path data) throws IOException {
        this.data = data;
        home = ServerCache.home(ARCHIVE, PostgresServer::unpack);
        if (primary == null) {
            ServerCache.copyTemplate(home, INIT_OPTIONS, data, this::initialize);
        } else {
            PostgresBackup.of(primary.adminUrl(), primary.data, data);
            Files.createFile(data.resolve(STANDBY));
        }
    }

    @Override
    List<String> command(Path data, int port) {
        List<String> command = program("postgres");
        command.addAll(List.of("-D", data.toString(), "-p", Integer.toString(port)));
        SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
        if (primary != null) {
            command.addAll(List.of("-c", "primary_conninfo=host=127.0.0.1 user=outbox port=" + primaryPort));
        }
        return command;
    }

    @Override
    String adminUrl(int port) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/postgres?user=outbox&password=outbox";
    }

    @Override
    String dataDirectoryQuery() {
        return "SHOW data_directory";
    }

    @Override
    String dropStatement(String database) {
        return "DROP DATABASE " + database + " WITH (FORCE)";
    }

    /** PostgreSQL's immediate shutdown; SIGKILL would leave a System V shared memory segment behind. */
    @Override
    String stopSignal() {
        return "QUIT";
    }

    private static void unpack(JarFile jar, Path directory) throws IOException {
        try (InputStream archive = new XZInputStream(jar.getInputStream(jar.getEntry(ARCHIVE)))) {
            ServerCache.untar(archive, directory);
        }
    }

    private void initialize(Path data) throws IOException {
        List<String> command = program("initdb");
        command.addAll(INIT_OPTIONS);
        command.addAll(List.of("-D", data.toString()));
        ServerCache.run(command, InputStream.nullInputStream());
    }

    /** PostgreSQL refuses to run as root; in a user namespace of its own it does not see that it is. */
    private List<String> program(String program) {
        List<String> command = new ArrayList<>();
        if (Users.isRoot()) {
            command.addAll(List.of("unshare", "--user"));
        }
        command.add(home.resolve("bin").resolve(program).toString());
        return command;
    }
}
