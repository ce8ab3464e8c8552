package io.outbox.testservers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An Oracle server that runs elsewhere, at the address in {@code OUTBOX_TEST_ORACLE_URL}. Each test class gets a user
 * with a schema of its own, who is dropped when the JVM ends. The build cannot start such a server.
 */
public final class OracleServer {

    private static final String VARIABLE = "OUTBOX_TEST_ORACLE_URL";
    private static final String FORM = "jdbc:oracle:thin:USER/PASSWORD@//HOST:PORT/SERVICE";
    private static final Pattern URL =
            Pattern.compile("jdbc:oracle:thin:(?<user>[^/@]+)/(?<password>[^@]+)@(?<address>.+)");

    private static OracleServer shared;

    private final String adminUrl;
    private final List<String> users = new ArrayList<>();

    OracleServer(String adminUrl) {
        if (adminUrl == null || !URL.matcher(adminUrl).matches()) {
            throw new IllegalStateException("These tests need an Oracle server: set " + VARIABLE + " to " + FORM
                    + ", of a user who may create users");
        }
        this.adminUrl = adminUrl;
    }

    /** Returns the server in the environment variable. */
    public static synchronized OracleServer shared() {
        if (shared == null) {
            shared = new OracleServer(System.getenv(VARIABLE));
            Runtime.getRuntime().addShutdownHook(new Thread(shared::dropUsers, "test-users-drop"));
        }
        return shared;
    }

    /** Creates a user and returns the JDBC URL of the empty schema, user and password included. */
    public synchronized String newDatabase() {
        String name = "outbox_" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
        run(statementsFor(name));
        users.add(name);
        return urlOf(name);
    }

    /** Returns the statements that create a user whose password is the name. */
    static List<String> statementsFor(String name) {
        return List.of(
                "CREATE USER " + name + " IDENTIFIED BY \"" + name + "\"",
                "GRANT CREATE SESSION, CREATE TABLE, UNLIMITED TABLESPACE TO " + name);
    }

    String urlOf(String name) {
        Matcher url = URL.matcher(adminUrl);
        url.matches();
        return "jdbc:oracle:thin:" + name + "/" + name + "@" + url.group("address");
    }

    private synchronized void dropUsers() {
        users.forEach(name -> run(List.of("DROP USER " + name + " CASCADE")));
        users.clear();
    }

    private void run(List<String> statements) {
        try (Connection conn = DriverManager.getConnection(adminUrl);
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The Oracle server of " + VARIABLE + " failed: " + e.getMessage(), e);
        }
    }
}
