package io.outbox.inbox;

import io.outbox.testservers.MariaDbServer;
import io.outbox.testservers.MySqlServer;
import io.outbox.testservers.PostgresServer;
import java.util.UUID;

/** The databases that the tests run on. */
enum TestDatabase {
    H2 {
        @Override
        String newUrl() {
            return "jdbc:h2:mem:inbox_" + UUID.randomUUID().toString().replace("-", "") + ";DB_CLOSE_DELAY=-1";
        }
    },
    POSTGRESQL {
        @Override
        String newUrl() {
            return PostgresServer.shared().newDatabase();
        }
    },
    MYSQL {
        @Override
        String newUrl() {
            return MySqlServer.shared().newDatabase();
        }
    },
    MARIADB {
        @Override
        String newUrl() {
            return MariaDbServer.shared().newDatabase();
        }
    };

    /** Creates an empty database and returns its URL. */
    abstract String newUrl();
}
