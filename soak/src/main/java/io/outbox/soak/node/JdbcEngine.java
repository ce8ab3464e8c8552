package io.outbox.soak.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import java.time.Duration;

/** A table in a database. */
final class JdbcEngine implements Engine {

    private static final int POOL_SIZE = 8;
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

    private final HikariDataSource pool;
    private final JdbcOutbox jdbc;

    JdbcEngine(String jdbcUrl) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(POOL_SIZE);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setValidationTimeout(CONNECTION_TIMEOUT.dividedBy(2).toMillis());
        this.pool = new HikariDataSource(config);
        this.jdbc = JdbcOutbox.of(pool);
    }

    @Override
    public MultiNodeBuilder outbox() {
        return Outbox.multiNode().backend(jdbc.backend());
    }

    @Override
    public TransactionEnd transact(Runnable write, boolean rollBack) {
        boolean committing = false;
        try (Transaction transaction = jdbc.begin()) {
            write.run();
            if (rollBack) {
                transaction.rollback();
                return TransactionEnd.ROLLED_BACK;
            }
            committing = true;
            transaction.commit();
            return TransactionEnd.COMMITTED;
        } catch (RuntimeException e) {
            return committing ? TransactionEnd.UNKNOWN : TransactionEnd.ROLLED_BACK;
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
