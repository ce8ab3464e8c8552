package io.outbox.jdbc.wakeup;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.WakeUp;
import io.outbox.testing.contract.WakeUpRules;
import org.junit.jupiter.api.AfterEach;

class PostgresWakeUpContractTest extends WakeUpRules {

    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.POSTGRESQL.newUrl(), 3);
    private final JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
    private final WakeUp listening = jdbc.wakeUp();
    private final WakeUp sending = jdbc.wakeUp();

    @AfterEach
    void closePool() {
        pool.close();
    }

    @Override
    protected WakeUp listening() {
        return listening;
    }

    @Override
    protected WakeUp sending() {
        return sending;
    }
}
