package io.outbox.soak.node;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.Outbox.MultiNodeBuilder;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;

/** A table in a database. */
final class JdbcEngine implements Engine {

    private static final int POOL_SIZE = 8;
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(2);

    private final HikariDataSource pool;
    private final JdbcOutbox jdbc;
    private final Business business;
    private volatile CountDownLatch freed;

    JdbcEngine(String jdbcUrl) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(POOL_SIZE);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        config.setValidationTimeout(CONNECTION_TIMEOUT.dividedBy(2).toMillis());
        this.pool = new HikariDataSource(config);
        this.jdbc = JdbcOutbox.of(pool);
        this.business = new Business(jdbcUrl);
    }

    @Override
    public MultiNodeBuilder outbox() {
        return Outbox.multiNode().backend(jdbc.backend()).wakeUp(jdbc.wakeUp());
    }

    @Override
    public TransactionEnd transact(Runnable write, Course course) {
        boolean committing = false;
        boolean undone = false;
        try (Transaction transaction = jdbc.begin()) {
            undone = business.run(transaction.connection(), write, course);
            if (course == Course.ROLL_BACK) {
                transaction.rollback();
                return TransactionEnd.ROLLED_BACK;
            }
            committing = true;
            transaction.commit();
            return undone ? TransactionEnd.UNDONE : TransactionEnd.COMMITTED;
        } catch (RuntimeException e) {
            if (undone) {
                return TransactionEnd.UNDONE;
            }
            return committing ? TransactionEnd.UNKNOWN : TransactionEnd.ROLLED_BACK;
        }
    }

    @Override
    public OptionalLong nextNumber(String key) {
        return OptionalLong.of(business.nextNumber(jdbc.txContext().currentConnection(), key));
    }

    /** Takes connections as they come free, on threads that give them back in the end. */
    @Override
    public void exhaust() {
        CountDownLatch end = new CountDownLatch(1);
        freed = end;
        for (int i = 0; i < POOL_SIZE; i++) {
            Thread keeper = new Thread(() -> keepOne(end), "soak-keeper-" + i);
            keeper.setDaemon(true);
            keeper.start();
        }
    }

    private void keepOne(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                Connection kept = pool.getConnection();
                end.await();
                kept.close();
            } catch (SQLException e) {
                continue; // none is free yet
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void free() {
        freed.countDown();
    }

    @Override
    public void close() {
        business.close();
        pool.close();
    }
}
