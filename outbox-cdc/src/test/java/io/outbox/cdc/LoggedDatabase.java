package io.outbox.cdc;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** A database with an outbox table, on a server whose log a connector can read. */
final class LoggedDatabase implements AutoCloseable {

    /** The kinds of databases, with the server that all tests of this JVM share. */
    enum Kind {
        POSTGRESQL,
        MYSQL;

        private DatabaseServer server;

        private synchronized DatabaseServer server() {
            if (server == null) {
                server = this == POSTGRESQL ? logicalPostgres() : mySql();
            }
            return server;
        }

        private static PostgresServer logicalPostgres() {
            PostgresServer server = PostgresServer.start();
            String url = server.newDatabase();
            execute(url, "ALTER SYSTEM SET wal_level = logical");
            execute(url, "ALTER SYSTEM SET max_replication_slots = 50");
            execute(url, "ALTER SYSTEM SET max_wal_senders = 50");
            execute(url, "CREATE ROLE debezium WITH LOGIN REPLICATION PASSWORD 'debezium'");
            server.restart();
            return server;
        }

        private static MySqlServer mySql() {
            MySqlServer server = MySqlServer.start();
            String url = server.newDatabase();
            execute(url, "CREATE USER debezium IDENTIFIED BY 'debezium'");
            execute(
                    url,
                    "GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO debezium");
            return server;
        }
    }

    private static final AtomicInteger CONNECTORS = new AtomicInteger();

    final Kind kind;
    final JdbcOutbox jdbc;
    private final String url;
    private final HikariDataSource dataSource = new HikariDataSource();

    LoggedDatabase(Kind kind) {
        this.kind = kind;
        this.url = kind.server().newDatabase();
        dataSource.setJdbcUrl(url);
        dataSource.setMaximumPoolSize(12);
        this.jdbc = JdbcOutbox.of(dataSource).createSchema();
    }

    /** Runs the script for change data capture as it is in the jar, and gives the connector the rights it needs. */
    LoggedDatabase prepareForCapture() {
        execute(script());
        if (kind == Kind.POSTGRESQL) {
            execute("GRANT SELECT ON outbox_event TO debezium");
        }
        return this;
    }

    private String script() {
        String name = "/schema/" + (kind == Kind.POSTGRESQL ? "postgresql" : "mysql") + "-cdc.sql";
        try (InputStream script = JdbcOutbox.class.getResourceAsStream(name)) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HikariDataSource dataSource() {
        return dataSource;
    }

    void execute(String sql) {
        execute(url, sql);
    }

    private static void execute(String url, String sql) {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /**
     * The settings of a connector as docs/cdc.md has them, without a transform; its user may do no more than is said
     * there.
     */
    Properties connector() {
        Properties settings = new Properties();
        int number = CONNECTORS.incrementAndGet();
        String database = dataSource.getJdbcUrl().replaceAll("\\?.*|.*/(?=\\w+)", "");
        settings.putAll(Map.of(
                "name",
                "outbox-" + UUID.randomUUID(),
                "database.hostname",
                "127.0.0.1",
                "database.port",
                Integer.toString(kind.server().port()),
                "database.user",
                kind.server().user(),
                "database.password",
                kind.server().password(),
                "topic.prefix",
                "shop" + number, // connectors of one JVM register their metrics under it
                "snapshot.mode",
                "no_data",
                "skipped.operations",
                "u,d,t",
                "poll.interval.ms",
                "10"));
        if (kind == Kind.POSTGRESQL) {
            settings.putAll(Map.of(
                    "connector.class", "io.debezium.connector.postgresql.PostgresConnector",
                    "database.dbname", database,
                    "table.include.list", "public.outbox_event",
                    "plugin.name", "pgoutput",
                    "slot.name", "outbox_" + UUID.randomUUID().toString().replace("-", ""),
                    "publication.name", "outbox_pub",
                    "publication.autocreate.mode", "disabled"));
        } else {
            settings.putAll(Map.of(
                    "connector.class", "io.debezium.connector.mysql.MySqlConnector",
                    "database.include.list", database,
                    "table.include.list", database + ".outbox_event",
                    "database.server.id", Integer.toString(1000 + number),
                    "include.schema.changes", "false",
                    "schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory",
                    "database.ssl.mode", "disabled",
                    "driver.allowPublicKeyRetrieval", "true"));
        }
        return settings;
    }

    @Override
    public void close() {
        dataSource.close();
    }
}
