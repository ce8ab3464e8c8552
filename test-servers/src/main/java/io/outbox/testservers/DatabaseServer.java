package io.outbox.testservers;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A database server that gives every test class a database of its own.
 *
 * <p>The user may do everything on the server. Databases of a server that runs elsewhere are dropped when the JVM ends.
 */
public abstract class DatabaseServer extends TestServer {

    private static final Pattern URL = Pattern.compile("(?<server>jdbc:\\w+://[^/?]+)(/[^?]*)?(?<options>\\?.*)?");
    private static final Pattern PORT = Pattern.compile("[^/]:(\\d+)$");

    private final Queue<String> databasesElsewhere = new ConcurrentLinkedQueue<>();
    private volatile String urlElsewhere;

    DatabaseServer(String name) {
        super(name);
    }

    /** The JDBC URL, with credentials, of the database from which others are created. */
    abstract String adminUrl(int port);

    /** A query whose result is the data directory of the server. */
    abstract String dataDirectoryQuery();

    /** The statement that drops a database, in use or not. */
    String dropStatement(String database) {
        return "DROP DATABASE " + database;
    }

    /** Creates an empty database and returns its JDBC URL, user and password included. */
    public final String newDatabase() {
        String name = "outbox_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE DATABASE " + name);
        if (urlElsewhere != null) {
            databasesElsewhere.add(name);
        }
        Matcher url = match(adminUrl());
        return url.group("server") + "/" + name + (url.group("options") == null ? "" : url.group("options"));
    }

    /** The user of the URLs. */
    public final String user() {
        return option("user");
    }

    /** The password of the URLs. */
    public final String password() {
        return option("password");
    }

    @Override
    final void ping(Path data, int port) throws SQLException {
        try (Connection connection = DriverManager.getConnection(adminUrl(port));
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(dataDirectoryQuery())) {
            result.next();
            if (!Path.of(result.getString(1)).equals(data)) {
                throw new SQLException("another server has port " + port);
            }
        }
    }

    /** The server at the address in an environment variable, if that is set, else one of this JVM's own. */
    static <S extends DatabaseServer> S resolve(String variable, int defaultPort, Supplier<S> create) {
        S server = create.get();
        String url = System.getenv(variable);
        if (url == null) {
            server.launch();
        } else {
            server.attachTo(url, defaultPort);
        }
        return server;
    }

    final void attachTo(String url, int defaultPort) {
        Matcher port = PORT.matcher(match(url).group("server"));
        attach(port.find() ? Integer.parseInt(port.group(1)) : defaultPort);
        urlElsewhere = url;
        Runtime.getRuntime().addShutdownHook(new Thread(this::dropDatabases, "test-databases-drop"));
    }

    private void dropDatabases() {
        for (String name = databasesElsewhere.poll(); name != null; name = databasesElsewhere.poll()) {
            execute(dropStatement(name));
        }
    }

    final String adminUrl() {
        return urlElsewhere == null ? adminUrl(port()) : urlElsewhere;
    }

    /** Returns the URL of the same database on another server, such as a replica. */
    public static String urlAt(String url, int fromPort, int toPort) {
        return url.replace(":" + fromPort + "/", ":" + toPort + "/");
    }

    final void execute(String sql) {
        try (Connection connection = DriverManager.getConnection(adminUrl());
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed: " + e.getMessage(), e);
        }
    }

    final String queryText(String sql) {
        try (Connection connection = DriverManager.getConnection(adminUrl());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + " failed: " + e.getMessage(), e);
        }
    }

    private String option(String name) {
        Matcher option = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(adminUrl());
        return option.find() ? URLDecoder.decode(option.group(1), StandardCharsets.UTF_8) : "";
    }

    private static Matcher match(String url) {
        Matcher matcher = URL.matcher(url);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "the address of a test database has to look like jdbc:NAME://HOST:PORT/?user=USER&password=PASSWORD");
        }
        return matcher;
    }
}
