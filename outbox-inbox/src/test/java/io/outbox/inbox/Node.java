package io.outbox.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;

/** An application with a pool of its own and a table {@code effect} for what its operations do. */
final class Node implements AutoCloseable {

    private final HikariDataSource pool;
    private final JdbcOutbox outbox;
    private final JdbcInbox inbox;
    private final AtomicInteger transactionsBegun = new AtomicInteger();

    Node(String url) {
        this(url, dataSource -> dataSource);
    }

    Node(String url, Function<DataSource, DataSource> wrapper) {
        this(url, "TRANSACTION_READ_COMMITTED", wrapper);
    }

    /** Creates a node whose transactions have an isolation by default, named as the constant of {@link Connection}. */
    Node(String url, String isolation, Function<DataSource, DataSource> wrapper) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        config.setTransactionIsolation(isolation);
        this.pool = new HikariDataSource(config);
        DataSource counted = Intercepted.dataSource(wrapper.apply(pool), call -> {
            if (call.name().equals("setAutoCommit false")) {
                transactionsBegun.incrementAndGet();
            }
            return call.proceed();
        });
        this.outbox = JdbcOutbox.of(counted);
        this.inbox = JdbcInbox.of(outbox).createSchema().validateSchema();
        createEffects();
    }

    /** Oracle knows no IF NOT EXISTS before version 23. */
    private void createEffects() {
        if (!outbox.store().name().equals("oracle")) {
            execute("CREATE TABLE IF NOT EXISTS effect (event_id VARCHAR(128) NOT NULL)");
        } else if (query("SELECT table_name FROM user_tab_columns WHERE table_name = 'EFFECT'")
                .isEmpty()) {
            execute("CREATE TABLE effect (event_id VARCHAR2(128 CHAR) NOT NULL)");
        }
    }

    JdbcInbox inbox() {
        return inbox;
    }

    JdbcOutbox outbox() {
        return outbox;
    }

    OutboxIdempotentConsumer consumer(String name) {
        return inbox.consumer().name(name).build();
    }

    Transaction begin() {
        return outbox.begin();
    }

    int transactionsBegun() {
        return transactionsBegun.get();
    }

    /** Has an effect in the current transaction. */
    void effect(String eventId) {
        JdbcTemplate.update(inbox.currentConnection(), "INSERT INTO effect (event_id) VALUES (?)", eventId);
    }

    /** Has the effects of events in the current transaction. */
    void effects(List<String> eventIds) {
        JdbcTemplate.batch(
                inbox.currentConnection(),
                "INSERT INTO effect (event_id) VALUES (?)",
                eventIds.stream().map(id -> new Object[] {id}).toList());
    }

    /** Returns the committed effects, sorted. */
    List<String> effects() {
        return query("SELECT event_id FROM effect ORDER BY event_id");
    }

    /** Returns the events that a consumer has marks of, sorted. */
    List<String> marks(String consumer) {
        return query("SELECT event_id FROM outbox_consumed_event WHERE consumer = ? ORDER BY event_id", consumer);
    }

    List<String> query(String sql, Object... params) {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getString(1), params);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void execute(String sql, Object... params) {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, sql, params);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    Connection openConnection() throws SQLException {
        return pool.getConnection();
    }

    /** Closes all connections, none of which may be in use any more. */
    @Override
    public void close() {
        int active = pool.getHikariPoolMXBean().getActiveConnections();
        pool.close();
        if (active != 0) {
            throw new AssertionError(active + " connections were not returned to the pool");
        }
    }
}
