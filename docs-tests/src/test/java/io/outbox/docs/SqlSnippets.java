package io.outbox.docs;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Executes SQL in a database of its own, with an outbox table in it unless the snippet creates that.
 *
 * <p>The database is the one that the fence names, or else the heading, or else H2.
 */
final class SqlSnippets {

    static final Map<String, Supplier<String>> DATABASES = Map.of(
            "h2", () -> "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
            "mariadb", () -> MariaDbServer.shared().newDatabase(),
            "mysql", () -> MySqlServer.shared().newDatabase(),
            "postgresql", () -> PostgresServer.shared().newDatabase());

    private SqlSnippets() {}

    static void execute(Snippet snippet) throws SQLException {
        DataSource dataSource =
                new DriverManagerDataSource(DATABASES.get(database(snippet)).get());
        if (!snippet.text().toUpperCase(Locale.ROOT).contains("CREATE TABLE OUTBOX_EVENT")) {
            JdbcOutbox.of(dataSource).createSchema();
        }
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements(snippet.text())) {
                statement.execute(sql);
            }
        }
    }

    private static String database(Snippet snippet) {
        List<String> heading =
                List.of(snippet.heading().toLowerCase(Locale.ROOT).split("\\W+"));
        return Stream.concat(snippet.words().stream(), heading.stream())
                .filter(DATABASES::containsKey)
                .findFirst()
                .orElse("h2");
    }

    private static List<String> statements(String text) {
        return Stream.of(text.replaceAll("--.*", "").split(";"))
                .filter(statement -> !statement.isBlank())
                .toList();
    }
}
