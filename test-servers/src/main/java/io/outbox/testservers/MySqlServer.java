package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.GZIPInputStream;

/** A MySQL server with durable settings (the server's defaults, binary log included), utf8mb4 and 300 connections. */
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

    private static MySqlServer shared;

    private Path home;

    private MySqlServer() {
        super("MySQL");
    }

    /**
     * The server all tests of this JVM share: the one {@code OUTBOX_TEST_MYSQL_URL} names, else one that this JVM starts
     * on the first call.
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

    @Override
    void prepare(Path data) throws IOException {
        Libraries.require("MySQL", "libaio.so.1", "libaio1");
        Libraries.require("MySQL", "libnuma.so.1", "libnuma1");
        home = ServerCache.home(ARCHIVE, MySqlServer::unpack);
        List<String> determining = new ArrayList<>(OPTIONS);
        determining.add(CREATE_USER);
        ServerCache.copyTemplate(home, determining, data, this::initialize);
    }

    @Override
    List<String> command(Path data, int port) {
        List<String> command = mysqld(data);
        command.addAll(SERVE_OPTIONS);
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
        command.add(home.resolve("bin/mysqld").toString());
        command.add("--no-defaults");
        if (Users.isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of("--basedir=" + home, "--datadir=" + data));
        command.addAll(OPTIONS);
        return command;
    }
}
