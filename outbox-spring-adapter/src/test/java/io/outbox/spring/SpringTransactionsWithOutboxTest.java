package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.WriterHook;
import io.outbox.dead.DeadEventManager;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxBackend;
import io.outbox.store.StoreBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Events in Spring transactions, from the write to the listener. */
class SpringTransactionsWithOutboxTest {

    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "sa", "");
    private final DataSourceTransactionManager transactions = new DataSourceTransactionManager((DataSource) pool);
    private final SpringTxContext context = new SpringTxContext(pool);
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger committed = new AtomicInteger();
    private Outbox outbox;

    @BeforeEach
    void start() {
        transactions.addListener(context);
        OutboxSchema.of(pool, "outbox_event").createIfMissing();
        outbox = Outbox.singleNode()
                .connectionProvider(new DataSourceConnectionProvider(pool))
                .txContext(context)
                .outboxStore(new H2OutboxStore())
                .listenerRegistry(new DefaultListenerRegistry().register("Placed", event -> {
                    delivered.add(event.payloadJson());
                    return DispatchResult.done();
                }))
                .writerHook(new WriterHook() {
                    @Override
                    public void afterCommit(List<EventEnvelope> events) {
                        committed.addAndGet(events.size());
                    }
                })
                .intervalMs(50)
                .build();
    }

    @AfterEach
    void stop() {
        outbox.close();
        assertThat(pool.getActiveConnections()).isZero();
        new JdbcTemplate(pool).execute("SHUTDOWN");
        pool.dispose();
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(transactions);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void write(String payload) {
        outbox.writer().write("Placed", "\"" + payload + "\"");
    }

    private int pending() {
        return new JdbcTemplate(pool)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)", Integer.class);
    }

    @Test
    void deliversWhatWasCommittedAndNothingElse() {
        for (int i = 0; i < 100; i++) {
            String number = String.valueOf(i);
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                write("kept " + number);
                transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                    write("undone " + number);
                    nested.setRollbackOnly();
                });
                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> write("inner " + number));
            });
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                write("rolled back " + number);
                tx.setRollbackOnly();
            });
        }
        await().untilAsserted(() -> assertThat(pending()).isZero());
        assertThat(delivered).hasSize(200).doesNotHaveDuplicates();
        assertThat(delivered).noneMatch(event -> event.contains("undone") || event.contains("rolled back"));
    }

    @Test
    void leavesOutWhatIsUndoneOnTheConnectionItself() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
            write("kept");
            new JdbcTemplate(pool).execute((Connection conn) -> {
                Savepoint savepoint = conn.setSavepoint();
                write("undone");
                conn.rollback(savepoint);
                return null;
            });
        });

        await().untilAsserted(() -> assertThat(pending()).isZero());
        outbox.close();
        assertThat(delivered).containsExactly("\"kept\"");
    }

    @Test
    void leavesOutWhatADeadlockHasRolledBack() {
        JdbcTemplate statements = new JdbcTemplate(pool);
        statements.execute("CREATE TABLE stock (number INT PRIMARY KEY, amount INT)");
        statements.execute("INSERT INTO stock VALUES (1, 0), (2, 0)");
        String change = "UPDATE stock SET amount = amount + 1 WHERE number = ?";
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch meeting = new CountDownLatch(1);
        CompletableFuture<Void> other = CompletableFuture.runAsync(
                () -> transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                    statements.update(change, 2);
                    begun.countDown();
                    awaitQuietly(meeting);
                    statements.update(change, 1);
                }));
        awaitQuietly(begun);

        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
            write("undone");
            statements.update(change, 1);
            meeting.countDown();
            awaitBlockedSession();
            assertThatThrownBy(() -> statements.update(change, 2)).isInstanceOf(ConcurrencyFailureException.class);
            other.join();
        });

        assertThat(statements.queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                .isZero();
        outbox.close();
        assertThat(delivered).isEmpty();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Looks on a connection that is not in the transaction. */
    private void awaitBlockedSession() {
        try (Connection observer = pool.getConnection()) {
            JdbcTemplate sessions = new JdbcTemplate(new SingleConnectionDataSource(observer, true));
            await().until(() -> sessions.queryForObject(
                            "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL", Long.class)
                    > 0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void deliversAtOnceWhatIsLeftAfterANestedTransactionWasRolledBack() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
            write("kept");
            transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                write("undone");
                nested.setRollbackOnly();
            });
            transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> write("nested"));
        });

        assertThat(committed).hasValue(2);
        await().untilAsserted(() -> assertThat(pending()).isZero());
        assertThat(delivered).containsExactlyInAnyOrder("\"kept\"", "\"nested\"");
    }

    @Test
    void aLookAtTheOutboxLeavesTheTransactionAloneBehindAProxyThatTakesPartInIt() {
        TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(pool);
        JdbcTemplate statements = new JdbcTemplate(proxy);
        statements.execute("CREATE TABLE orders (id INT)");
        for (ConnectionProvider connections : List.of(
                new SpringConnectionProvider(proxy),
                new SpringConnectionProvider(new LazyConnectionDataSourceProxy(proxy)))) {
            OutboxBackend backend = StoreBackend.of(connections, context, new H2OutboxStore(), null);

            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                statements.update("INSERT INTO orders VALUES (1)");
                assertThat(new DeadEventManager(backend).count(null)).isZero();
                assertThat(new DeadEventManager(backend).replay("none")).isFalse();
                assertThat(backend.counts()).isEmpty();
                assertThat(backend.inspection().orElseThrow().find("none")).isEmpty();
                tx.setRollbackOnly();
            });

            assertThat(statements.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                    .isZero();
        }
    }

    @Test
    void theConnectionOfTheTransactionIsRefused() {
        TransactionAwareDataSourceProxy proxy = new TransactionAwareDataSourceProxy(pool);
        OutboxBackend backend =
                StoreBackend.of(new DataSourceConnectionProvider(proxy), context, new H2OutboxStore(), null);

        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
            write("kept");
            assertRefused(backend::counts);
        });

        await().untilAsserted(() -> assertThat(delivered).containsExactly("\"kept\""));
    }

    /** Parts that are built from a provider alone do not know the application's transactions. */
    @Test
    void noPartCommitsTheTransactionOfAProxyThatTakesPartInIt() {
        TransactionAwareDataSourceProxy aware = new TransactionAwareDataSourceProxy(pool);
        JdbcTemplate statements = new JdbcTemplate(aware);
        statements.execute("CREATE TABLE orders (id INT)");
        for (DataSource proxy : List.of(aware, new LazyConnectionDataSourceProxy(aware))) {
            ConnectionProvider connections = new DataSourceConnectionProvider(proxy);
            H2OutboxStore store = new H2OutboxStore();
            OutboxSchema schema = OutboxSchema.of(proxy, "outbox_event");

            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                statements.update("INSERT INTO orders VALUES (1)");
                new DeadEventManager(connections, store).count(null);
                assertRefused(StoreBackend.forDelivery(connections, store)::currentTime);
                assertRefused(() -> StoreBackend.forPurge(connections, (conn, before, limit) -> 0)
                        .purge(Instant.EPOCH, 1));
                assertRefused(schema::createIfMissing);
                assertRefused(schema::createLaneIndexIfMissing);
                assertRefused(schema::createKeyedIfMissing);
                tx.setRollbackOnly();
            });

            assertThat(statements.queryForObject("SELECT COUNT(*) FROM orders", Integer.class))
                    .isZero();
            assertThat(StoreBackend.forDelivery(connections, store).currentTime())
                    .as("outside of a transaction")
                    .isNotNull();
        }
    }

    @Test
    void outsideOfATransactionSuchAProxyMayGiveConnectionsThatAreNotInAutoCommitMode() {
        DataSource manual = new DelegatingDataSource(pool) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection conn = super.getConnection();
                conn.setAutoCommit(false);
                return conn;
            }
        };
        ConnectionProvider connections = new DataSourceConnectionProvider(new TransactionAwareDataSourceProxy(manual));

        assertThat(StoreBackend.forDelivery(connections, new H2OutboxStore()).currentTime())
                .isNotNull();
    }

    @Test
    void theConnectionOfAReadOnlyTransactionIsRefusedToo() {
        TransactionTemplate readOnly = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        for (ConnectionProvider connections : List.<ConnectionProvider>of(
                () -> DataSourceUtils.getConnection(pool),
                new DataSourceConnectionProvider(new TransactionAwareDataSourceProxy(pool)))) {
            OutboxBackend backend = StoreBackend.of(connections, context, new H2OutboxStore(), null);

            readOnly.executeWithoutResult(tx -> assertRefused(backend::counts));
        }
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatIllegalStateException()
                .isThrownBy(call)
                .withMessageContaining("returned the connection of the current transaction");
    }

    @Test
    void saysWhichTransactionIsNeeded() {
        assertThatIllegalStateException()
                .isThrownBy(() -> write("lost"))
                .withMessageContaining("No active transaction")
                .withMessageContaining("@Transactional");
        TransactionTemplate readOnly = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(tx -> assertThatIllegalStateException()
                .isThrownBy(() -> write("lost"))
                .withMessageContaining("read-only"));
        assertThat(pending()).isZero();
    }

    @Test
    void deliversAnEventWrittenInANewTransactionAfterTheCommit() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                        .executeWithoutResult(next -> write("follow-up"));
                            }
                        }));
        await().untilAsserted(() -> assertThat(delivered).containsExactly("\"follow-up\""));
        await().untilAsserted(() -> assertThat(pending()).isZero());
    }

    @Test
    void keepsAnEventOutOfATransactionThatHasCommitted() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int status) {
                                assertThatIllegalStateException()
                                        .isThrownBy(() -> write("escaped"))
                                        .withMessageContaining("REQUIRES_NEW");
                            }
                        }));
        assertThat(new JdbcTemplate(pool).queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                .isZero();
    }
}
