package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;

/**
 * A MySQL server with durable settings (the server's defaults, binary log included), utf8mb4 and 300 connections. The
 * variable {@code OUTBOX_TEST_MYSQL_SERVER} names the program of another version than the one of the build.
 */
public final class MySqlServer extends DatabaseServer {

    private static final String ARCHIVE = "mysql-Linux-amd64.tar.gz";
    private static final String CREATE_USER = """
            CREATE USER outbox@'%' IDENTIFIED BY 'outbox';
            GRANT ALL ON *.* TO outbox@'%' WITH GRANT OPTION;
            """;
    private static final List<String> OPTIONS = List.of(
            "--character-set-server=utf8mb4",
            "--innodb-buffer-pool-size=64M",
            "--innodb-redo-log-capacity=64M",
            "--mysqlx=OFF",
            "--performance-schema=OFF");
    private static final List<String> SERVE_OPTIONS = List.of(
            "--bind-address=127.0.0.1",
            "--max-connections=300",
            "--pid-file=mysqld.pid",
            "--skip-name-resolve",
            "--socket=mysqld.sock");

    private static final OtherServer OTHER = OtherServer.of("OUTBOX_TEST_MYSQL_SERVER");

    private static MySqlServer shared;

    private static final List<String> REPLICATION_OPTIONS =
            List.of("--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--skip-replica-start");

    /** Options of this very server. */
    private final List<String> ownOptions;

    private Path home;

    private MySqlServer() {
        this(List.of());
    }

    private MySqlServer(List<String> ownOptions) {
        super("MySQL");
        this.ownOptions = new ArrayList<>(ownOptions);
    }

    /**
     * The server all tests of this JVM share: the one {@code OUTBOX_TEST_MYSQL_URL} names, else one that this JVM
     * starts on the first call.
     */
    public static synchronized MySqlServer shared() {
        if (shared == null || shared.isClosed()) {
            shared = resolve("OUTBOX_TEST_MYSQL_URL", 3306, MySqlServer::new);
        }
        return shared;
    }

    /** Starts a server for the caller alone, who closes it. */
    public static MySqlServer start() {
        MySqlServer server = new MySqlServer();
        server.launch();
        return server;
    }

    /** Starts a server that another can {@linkplain #follow follow}, or that follows another, for the caller alone. */
    public static MySqlServer startForReplication(int serverId) {
        List<String> options = new ArrayList<>(REPLICATION_OPTIONS);
        options.add("--server-id=" + serverId);
        MySqlServer server = new MySqlServer(options);
        server.launch();
        return server;
    }

    /** Makes this server a replica of another, which has not been used before; it refuses changes of anybody else. */
    public void follow(MySqlServer source) {
        execute("SET GLOBAL super_read_only = ON");
        execute("CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = " + source.port()
                + ", SOURCE_USER = '" + user() + "', SOURCE_PASSWORD = '" + password()
                + "', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_CONNECT_RETRY = 1");
        execute("START REPLICA");
    }

    /** Makes this server refuse changes, as before a switch-over; open connections stay. */
    public void demote() {
        execute("SET GLOBAL super_read_only = ON");
    }

    /** Makes a replica take changes, after those that it has received. */
    public void promote() {
        execute("STOP REPLICA");
        execute("RESET REPLICA ALL");
        execute("SET GLOBAL super_read_only = OFF");
        execute("SET GLOBAL read_only = OFF");
    }

    /** Shuts this server down and starts it with InnoDB open for reading only, by which readers of Aurora are known. */
    public void restartForReading() {
        ProcessHandle process = ProcessHandle.of(pid()).orElseThrow();
        execute("SHUTDOWN");
        process.onExit().join();
        ownOptions.add("--innodb-read-only");
        restart();
    }

    /** Waits until this server has all changes that another one has now. */
    public void awaitChangesOf(MySqlServer source) {
        String all = source.queryText("SELECT @@global.gtid_executed").replace("\n", "");
        String result = queryText("SELECT WAIT_FOR_EXECUTED_GTID_SET('" + all + "', 60)");
        if (!"0".equals(result)) {
            throw new IllegalStateException("The replica does not get the changes of its source");
        }
    }

    @Override
    void prepare(Path data) throws IOException {
        if (OTHER == null) {
            Libraries.require("MySQL", "libaio.so.1", "libaio1");
            Libraries.require("MySQL", "libnuma.so.1", "libnuma1");
            home = ServerCache.home(ARCHIVE, MySqlServer::unpack);
        } else {
            home = OTHER.home();
        }
        List<String> determining = new ArrayList<>(OPTIONS);
        determining.add(CREATE_USER);
        ServerCache.copyTemplate(home, determining, data, this::initialize);
        Files.deleteIfExists(data.resolve("auto.cnf")); // the template's identity
    }

    @Override
    List<String> command(Path data, int port) {
        List<String> command = mysqld(data);
        command.addAll(SERVE_OPTIONS);
        command.addAll(ownOptions);
        command.add("--port=" + port);
        return command;
    }

    @Override
    String adminUrl(int port) {
        return "jdbc:mysql://127.0.0.1:" + port
                + "/?user=outbox&password=outbox&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }

    @Override
    String dataDirectoryQuery() {
        return "SELECT @@datadir";
    }

    private static void unpack(JarFile jar, Path directory) throws IOException {
        try (InputStream archive = new GZIPInputStream(jar.getInputStream(jar.getEntry(ARCHIVE)))) {
            ServerCache.untar(archive, directory);
        }
    }

    private void initialize(Path data) throws IOException {
        Path createUser = Files.createTempFile("create-user", ".sql");
        try {
            Files.writeString(createUser, CREATE_USER);
            List<String> command = mysqld(data);
            command.addAll(List.of("--initialize-insecure", "--init-file=" + createUser));
            ServerCache.run(command, InputStream.nullInputStream());
        } finally {
            Files.delete(createUser);
        }
    }

    private List<String> mysqld(Path data) {
        List<String> command = new ArrayList<>();
        command.add(OTHER == null ? home.resolve("bin/mysqld").toString() : OTHER.program());
        command.add("--no-defaults");
        if (OTHER != null) {
            // The directory of Debian's own installation, which need not exist.
            command.add("--secure-file-priv=");
        }
        if (Users.isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of("--basedir=" + home, "--datadir=" + data));
        command.addAll(OPTIONS);
        return command;
    }
}
