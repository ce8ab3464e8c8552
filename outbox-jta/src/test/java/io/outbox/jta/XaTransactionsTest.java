package io.outbox.jta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.agroal.narayana.NarayanaTransactionIntegration;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.store.StoreBackend;
import io.outbox.testservers.PostgresServer;
import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.xa.PGXADataSource;

/**
 * Orders in one database and events in another, committed in two phases: an event is there if and only if its order is.
 */
class XaTransactionsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final PostgresServer postgres = PostgresServer.shared();
    private final TransactionManager transactions = Narayana.TRANSACTIONS;
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private final String eventsUrl = postgres.newDatabase();
    private final AgroalDataSource shop = pool(postgres.newDatabase(), PGXADataSource.class);
    private final AgroalDataSource events = pool(eventsUrl, OfAShakyServer.class);
    private Outbox outbox;

    /** A database that does not answer some commits of the second phase, and does not make them either. */
    public static final class OfAShakyServer extends PGXADataSource {

        private static final long serialVersionUID = 1L;
        private static final AtomicInteger UNANSWERED = new AtomicInteger();

        @Override
        public XAConnection getXAConnection(String user, String password) throws SQLException {
            XAConnection connection = super.getXAConnection(user, password);
            XAResource resource = shaky(connection.getXAResource());
            return (XAConnection) Proxy.newProxyInstance(
                    XAConnection.class.getClassLoader(),
                    new Class<?>[] {XAConnection.class},
                    (proxy, method, arguments) -> method.getName().equals("getXAResource")
                            ? resource
                            : forwarded(() -> method.invoke(connection, arguments)));
        }

        private static XAResource shaky(XAResource resource) {
            return (XAResource) Proxy.newProxyInstance(
                    XAResource.class.getClassLoader(),
                    new Class<?>[] {XAResource.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("commit") && UNANSWERED.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                            throw new XAException(XAException.XAER_RMFAIL);
                        }
                        return forwarded(() -> method.invoke(resource, arguments));
                    });
        }

        private static Object forwarded(Call call) throws Throwable {
            try {
                return call.invoke();
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        private interface Call {
            Object invoke() throws ReflectiveOperationException;
        }
    }

    private AgroalDataSource pool(String url, Class<?> provider) {
        try {
            return AgroalDataSource.from(new AgroalDataSourceConfigurationSupplier()
                    .connectionPoolConfiguration(pool -> pool.maxSize(4)
                            .acquisitionTimeout(Duration.ofSeconds(10))
                            .transactionIntegration(new NarayanaTransactionIntegration(transactions, Narayana.REGISTRY))
                            .connectionFactoryConfiguration(factory -> factory.connectionProviderClass(provider)
                                    .jdbcUrl(url)
                                    .principal(new NamePrincipal(postgres.user()))
                                    .credential(new SimplePassword(postgres.password())))));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void start() throws SQLException {
        execute(shop, "CREATE TABLE shop_order (id VARCHAR(10) UNIQUE DEFERRABLE INITIALLY DEFERRED)");
        JdbcOutbox jdbc = JdbcOutbox.of(events).createSchema();
        outbox = Outbox.singleNode()
                .backend(StoreBackend.of(
                        new JtaConnectionProvider(transactions, events),
                        new JtaTxContext(Narayana.REGISTRY, events),
                        jdbc.store(),
                        jdbc.purger()))
                .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", event -> {
                    delivered.add(event.payloadJson());
                    return DispatchResult.done();
                }))
                .intervalMs(200)
                .build();
    }

    @AfterEach
    void stop() {
        outbox.close();
        shop.close();
        events.close();
    }

    @Test
    void bothAreCommittedOrNeither() throws Exception {
        transactions.begin();
        place("1");
        assertThat(count(events, "outbox_event")).as("before the commit").isZero();
        transactions.commit();
        transactions.begin();
        place("2");
        transactions.rollback();
        transactions.begin();
        place("1");
        assertThatThrownBy(transactions::commit)
                .as("the shop votes against it, because the order is there already")
                .isInstanceOf(RollbackException.class);
        transactions.begin();
        place("3");
        transactions.commit();

        await().atMost(LIMIT).until(() -> delivered.size() == 2);
        assertThat(delivered).containsExactlyInAnyOrder("\"1\"", "\"3\"");
        assertThat(count(shop, "shop_order")).isEqualTo(2);
        assertThat(count(events, "outbox_event")).isEqualTo(2);
        assertThat(inDoubt()).isZero();
    }

    @Test
    void anEventThatIsInDoubtArrivesOnceItsTransactionIsRecovered() throws Exception {
        OfAShakyServer.UNANSWERED.set(1);
        transactions.begin();
        place("1");
        transactions.commit();
        assertThat(count(shop, "shop_order")).as("it was decided").isEqualTo(1);
        assertThat(inDoubt()).isEqualTo(1);
        assertThat(count(events, "outbox_event")).isZero();

        RecoveryManager recovery = Narayana.recovery(new XAResourceRecoveryHelper() {
            @Override
            public boolean initialise(String parameters) {
                return true;
            }

            @Override
            public XAResource[] getXAResources() throws SQLException {
                PGXADataSource server = new PGXADataSource();
                server.setUrl(eventsUrl);
                return new XAResource[] {server.getXAConnection().getXAResource()};
            }
        });
        await().atMost(LIMIT).untilAsserted(() -> {
            recovery.scan();
            assertThat(inDoubt()).isZero();
        });

        await().atMost(LIMIT).until(() -> count(events, "outbox_event WHERE status = 1") == 1);
        assertThat(Set.copyOf(delivered)).containsExactly("\"1\"");
        assertThat(count(shop, "shop_order")).isEqualTo(1);
    }

    private void place(String id) throws SQLException {
        execute(shop, "INSERT INTO shop_order VALUES ('" + id + "')");
        outbox.writer().write("OrderPlaced", "\"" + id + "\"");
    }

    private int inDoubt() throws SQLException {
        return count(events, "pg_prepared_xacts WHERE database = current_database()");
    }

    private static void execute(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private int count(DataSource dataSource, String table) throws SQLException {
        try (Connection connection = new JtaConnectionProvider(transactions, dataSource).getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM " + table)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
