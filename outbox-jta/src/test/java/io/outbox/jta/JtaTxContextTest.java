package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.TransactionEnd;
import io.outbox.store.StoreBackend;
import io.outbox.testservers.PostgresServer;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events in transactions of Narayana, on a pool that takes part in them, in PostgreSQL. */
class JtaTxContextTest {

    private static final int POOL = 4;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final TransactionManager transactions = Narayana.TRANSACTIONS;
    private final TransactionSynchronizationRegistry registry = Narayana.REGISTRY;
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private AgroalDataSource dataSource;
    private JtaTxContext context;
    private Outbox outbox;

    @BeforeEach
    void start() throws Exception {
        start(POOL);
    }

    private void start(int connections) throws Exception {
        PostgresServer postgres = PostgresServer.shared();
        String url = postgres.newDatabase();
        dataSource = AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(pool -> pool.maxSize(connections)
                        .acquisitionTimeout(Duration.ofSeconds(10))
                        .transactionIntegration(new NarayanaTransactionIntegration(transactions, registry))
                        .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url)
                                .principal(new NamePrincipal(postgres.user()))
                                .credential(new SimplePassword(postgres.password())))));
        context = new JtaTxContext(registry, dataSource);
        JdbcOutbox jdbc = JdbcOutbox.of(dataSource).createSchema();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE shop_order (id VARCHAR(10) PRIMARY KEY)");
        }
        outbox = Outbox.singleNode()
                .backend(StoreBackend.of(
                        new JtaConnectionProvider(transactions, dataSource), context, jdbc.store(), jdbc.purger()))
                .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", event -> {
                    delivered.add(event.payloadJson());
                    return DispatchResult.done();
                }))
                .intervalMs(600_000)
                .build();
    }

    @AfterEach
    void stop() throws Exception {
        if (transactions.getStatus() != Status.STATUS_NO_TRANSACTION) {
            transactions.rollback();
        }
        outbox.close();
        await().atMost(LIMIT).until(() -> dataSource.getMetrics().activeCount() == 0);
        dataSource.close();
    }

    @Test
    void anEventIsCommittedWithTheBusinessDataAndDeliveredRightAfter() throws Exception {
        transactions.begin();
        place("1");
        assertThat(count("outbox_event")).as("seen from outside").isZero();
        transactions.commit();

        await().atMost(LIMIT).until(() -> delivered.equals(List.of("\"1\"")));
        assertThat(count("shop_order")).isEqualTo(1);
    }

    @Test
    void aRollbackTakesTheEventAlong() throws Exception {
        transactions.begin();
        place("1");
        transactions.rollback();

        assertThat(count("outbox_event")).isZero();
        assertThat(count("shop_order")).isZero();
        deliverAnother();
    }

    @Test
    void connectionsGoBackToThePool() throws Exception {
        for (int i = 0; i < 5 * POOL; i++) {
            transactions.begin();
            place(String.valueOf(i));
            if (i % 2 == 0) {
                transactions.commit();
            } else {
                transactions.rollback();
            }
        }

        await().atMost(LIMIT).until(() -> delivered.size() == 5 * POOL / 2);
    }

    @Test
    void anInnerTransactionIsApartFromTheOuterOne() throws Exception {
        transactions.begin();
        place("outer");
        Transaction outer = transactions.suspend();
        transactions.begin();
        place("inner");
        transactions.commit();
        transactions.resume(outer);
        await().atMost(LIMIT).until(() -> delivered.contains("\"inner\""));
        transactions.rollback();

        assertThat(count("outbox_event")).isEqualTo(1);
        deliverAnother();
    }

    @Test
    void withoutATransactionNothingIsWritten() throws Exception {
        assertThatThrownBy(() -> write("1"))
                .hasMessageContaining("No active transaction")
                .hasMessageContaining("Jakarta");

        transactions.begin();
        transactions.setRollbackOnly();
        assertThatThrownBy(() -> write("1")).hasMessageContaining("marked for rollback");
    }

    @Test
    void aTransactionThatTimesOutDeliversNothing() throws Exception {
        List<TransactionEnd> ends = new CopyOnWriteArrayList<>();
        transactions.setTransactionTimeout(1);
        try {
            transactions.begin();
            place("late");
            context.afterCompletion(ends::add);
            await().atMost(LIMIT).until(() -> !ends.isEmpty());
            assertThatThrownBy(() -> write("2")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(transactions::commit).isInstanceOf(Exception.class);
        } finally {
            transactions.setTransactionTimeout(0);
        }
        await().atMost(LIMIT).until(() -> ends.equals(List.of(TransactionEnd.ROLLED_BACK)));
        assertThat(count("outbox_event")).isZero();
        deliverAnother();
    }

    @Test
    void workBeforeTheCommitFollowsThatOfTheApplicationAndIsInTheTransaction() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        transactions.begin();
        context.beforeCommit(() -> {
            order.add("outbox");
            execute(context.currentConnection(), "INSERT INTO shop_order VALUES ('before')");
            throw new IllegalStateException("must not stop the commit");
        });
        transactions.getTransaction().registerSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {
                order.add("application");
            }

            @Override
            public void afterCompletion(int status) {}
        });
        transactions.commit();

        assertThat(order).containsExactly("application", "outbox");
        assertThat(count("shop_order")).isEqualTo(1);
    }

    @Test
    void whatTheOutboxDoesByItselfIsNoPartOfTheTransaction() throws Exception {
        transactions.begin();
        place("1");
        try (Connection apart = new JtaConnectionProvider(transactions, dataSource).getConnection()) {
            assertThat(apart.getAutoCommit()).isTrue();
            assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_NO_TRANSACTION);
            execute(apart, "INSERT INTO shop_order VALUES ('apart')");
        }
        assertThat(transactions.getStatus()).isEqualTo(Status.STATUS_ACTIVE);
        transactions.rollback();

        assertThat(count("shop_order")).isEqualTo(1);
    }

    @Test
    void aQuestionInATransactionTakesNoConnectionInIt() throws Exception {
        transactions.begin();
        outbox.status();
        assertThat(dataSource.getMetrics().activeCount()).isZero();
        assertThat(context.boundConnection()).isNull();

        Connection own = context.currentConnection();
        assertThat(context.boundConnection()).isSameAs(own);
        transactions.commit();

        assertThat(context.boundConnection()).isNull();
    }

    @Test
    void aQuestionInATransactionNeedsNoMoreThanOneConnection() throws Exception {
        stop();
        start(1);

        transactions.begin();
        assertThat(outbox.status()).isNotNull();
        transactions.commit();
    }

    private void deliverAnother() throws Exception {
        int before = delivered.size();
        transactions.begin();
        place("another");
        transactions.commit();
        await().atMost(LIMIT).until(() -> delivered.size() > before);
        assertThat(delivered).hasSize(before + 1).endsWith("\"another\"");
    }

    private void place(String id) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            execute(connection, "INSERT INTO shop_order VALUES ('" + id + "')");
        }
        write(id);
    }

    private void write(String id) {
        outbox.writer().write("OrderPlaced", "\"" + id + "\"");
    }

    private static void execute(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private int count(String table) throws SQLException {
        try (Connection connection = new JtaConnectionProvider(transactions, dataSource).getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
