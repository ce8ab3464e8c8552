package io.outbox.jdbc.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.time.Duration;
import java.util.UUID;

/** The databases that the tests run on. */
public enum TestDatabase {
    H2("") {
        @Override
        public String newUrl() {
            return "jdbc:h2:mem:outbox_" + UUID.randomUUID().toString().replace("-", "") + ";DB_CLOSE_DELAY=-1";
        }

        @Override
        public DatabaseServer startServer() {
            throw new UnsupportedOperationException("H2 is embedded and has no server");
        }
    },
    POSTGRESQL("&connectTimeout=2&socketTimeout=2") {
        @Override
        public String newUrl() {
            return PostgresServer.shared().newDatabase();
        }

        @Override
        public DatabaseServer startServer() {
            return PostgresServer.start();
        }
    },
    MYSQL("&connectTimeout=2000&socketTimeout=2000") {
        @Override
        public String newUrl() {
            return MySqlServer.shared().newDatabase();
        }

        @Override
        public DatabaseServer startServer() {
            return MySqlServer.start();
        }
    },
    MARIADB("&connectTimeout=2000&socketTimeout=2000") {
        @Override
        public String newUrl() {
            return MariaDbServer.shared().newDatabase();
        }

        @Override
        public DatabaseServer startServer() {
            return MariaDbServer.start();
        }
    };

    private final String networkTimeouts;

    TestDatabase(String networkTimeouts) {
        this.networkTimeouts = networkTimeouts;
    }

    /** Creates an empty database on the server that all tests share and returns its URL. */
    public abstract String newUrl();

    /** Starts a server for the caller alone, who closes it. */
    public abstract DatabaseServer startServer();

    /** Opens a pool as an application would. */
    public static HikariDataSource pool(String url, int size) {
        return pool(url, size, Duration.ofSeconds(20));
    }

    /** Opens a pool that notices within two seconds that its server is gone. */
    public HikariDataSource impatientPool(String url, int size) {
        return pool(url + networkTimeouts, size, Duration.ofMillis(1500));
    }

    private static HikariDataSource pool(String url, int size, Duration connectionTimeout) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(connectionTimeout.toMillis());
        config.setValidationTimeout(Math.min(1000, connectionTimeout.toMillis()));
        return new HikariDataSource(config);
    }
}
