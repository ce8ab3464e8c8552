package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class SpringTxContextTest {

    private final DataSource orders = database("orders");
    private final DataSource billing = database("billing");
    private final DataSourceTransactionManager orderTransactions = new DataSourceTransactionManager(orders);
    private final DataSourceTransactionManager billingTransactions = new DataSourceTransactionManager(billing);
    private final SpringTxContext context = new SpringTxContext(orders);
    private final List<String> log = new ArrayList<>();

    private static DataSource database(String name) {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + name);
        return dataSource;
    }

    @AfterEach
    void nothingStaysBoundToTheThread() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
        assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                .isFalse();
    }

    private TransactionTemplate inOrders() {
        return new TransactionTemplate(orderTransactions);
    }

    private TransactionTemplate inBilling() {
        return new TransactionTemplate(billingTransactions);
    }

    private static TransactionTemplate with(TransactionTemplate template, int propagation) {
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void listening() {
        orderTransactions.addListener(context);
        billingTransactions.addListener(context);
    }

    private void register(String name) {
        context.afterCommit(() -> log.add(name + " committed"));
        context.afterRollback(() -> log.add(name + " rolled back"));
    }

    // The connection

    @Test
    void isInactiveOutsideOfATransaction() {
        assertThat(context.isTransactionActive()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(context::currentConnection)
                .withMessageStartingWith("No active transaction")
                .withMessageContaining("@Transactional")
                .withMessageContaining("A reactive transaction (R2DBC");
        assertThatIllegalStateException().isThrownBy(() -> context.afterCommit(() -> {}));
        assertThatIllegalStateException().isThrownBy(() -> context.afterRollback(() -> {}));
    }

    @Test
    void givesTheConnectionOfTheTransaction() {
        inOrders().executeWithoutResult(tx -> {
            assertThat(context.isTransactionActive()).isTrue();
            assertThat(context.currentConnection()).isSameAs(DataSourceUtils.getConnection(orders));
        });
    }

    @Test
    void givesTheConnectionOfAProgrammaticTransaction() {
        var status = orderTransactions.getTransaction(TransactionDefinition.withDefaults());
        assertThat(context.isTransactionActive()).isTrue();
        register("event");
        orderTransactions.commit(status);
        assertThat(log).containsExactly("event committed");
    }

    @Test
    void seesThroughProxiesOfTheDataSource() {
        DataSource lazy = new LazyConnectionDataSourceProxy(orders);
        SpringTxContext onProxy = new SpringTxContext(new TransactionAwareDataSourceProxy(lazy));
        new TransactionTemplate(new DataSourceTransactionManager(lazy)).executeWithoutResult(tx -> {
            assertThat(onProxy.isTransactionActive()).isTrue();
            assertThat(context.isTransactionActive()).isTrue();
            assertThat(onProxy.currentConnection()).isSameAs(DataSourceUtils.getConnection(lazy));
        });
        inOrders()
                .executeWithoutResult(
                        tx -> assertThat(onProxy.currentConnection()).isSameAs(DataSourceUtils.getConnection(orders)));
    }

    // Wrong transactions

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesATransactionOfAnotherDataSource(boolean listening) {
        if (listening) {
            listening();
        }
        TransactionTemplate other = inBilling();
        other.setName("BillingService.pay");
        other.executeWithoutResult(tx -> {
            assertThat(context.isTransactionActive()).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(context::currentConnection)
                    .withMessageContaining("'BillingService.pay'")
                    .withMessageContaining("is not a transaction on DataSource " + JdbcDataSource.class.getName() + "@"
                            + Integer.toHexString(System.identityHashCode(orders)))
                    .withMessageContaining("a connection of DataSource " + JdbcDataSource.class.getName() + "@"
                            + Integer.toHexString(System.identityHashCode(billing)));
            assertThat(context.noTransactionReason()).doesNotContain("jdbc:");
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesAConnectionThatPlainDataAccessBoundInATransactionOfAnotherDataSource(boolean listening) {
        if (listening) {
            listening();
        }
        inBilling().executeWithoutResult(tx -> {
            new JdbcTemplate(orders).queryForObject("SELECT 1", Integer.class);
            assertThat(TransactionSynchronizationManager.hasResource(orders)).isTrue();
            assertThat(context.isTransactionActive()).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesAnInnerTransactionOfAnotherDataSource(boolean listening) {
        if (listening) {
            listening();
        }
        inOrders().executeWithoutResult(outer -> {
            inBilling().executeWithoutResult(inner -> {
                assertThat(context.isTransactionActive()).isFalse();
                assertThatIllegalStateException().isThrownBy(() -> register("event"));
            });
            assertThat(context.isTransactionActive()).isTrue();
        });
    }

    @Test
    void refusesAnInnerTransactionOfAnotherDataSourceAfterAWriteInTheOuterOne() {
        inOrders().executeWithoutResult(outer -> {
            register("outer");
            inBilling()
                    .executeWithoutResult(
                            inner -> assertThat(context.isTransactionActive()).isFalse());
            assertThat(log).isEmpty();
        });
        assertThat(log).containsExactly("outer committed");
    }

    @Test
    void acceptsAnInnerTransactionOfItsDataSourceWhenItListens() {
        listening();
        inBilling().executeWithoutResult(outer -> {
            inOrders().executeWithoutResult(inner -> register("inner"));
            assertThat(log).containsExactly("inner committed");
            assertThat(context.isTransactionActive()).isFalse();
        });
    }

    @Test
    void toleratesAccessToAnotherDataSource() {
        inOrders().executeWithoutResult(tx -> {
            new JdbcTemplate(billing).queryForObject("SELECT 1", Integer.class);
            assertThat(context.isTransactionActive()).isTrue();
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesATransactionWithoutSynchronization(boolean listening) {
        if (listening) {
            listening();
        }
        orderTransactions.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
        inOrders().executeWithoutResult(tx -> {
            assertThat(context.isTransactionActive()).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(context::currentConnection)
                    .withMessageContaining("without transaction synchronization");
        });
    }

    @Test
    void refusesAReadOnlyTransaction() {
        TransactionTemplate readOnly = inOrders();
        readOnly.setReadOnly(true);
        readOnly.setName("OrderQueries.find");
        readOnly.executeWithoutResult(tx -> {
            assertThat(context.isTransactionActive()).isFalse();
            assertThatIllegalStateException()
                    .isThrownBy(context::currentConnection)
                    .withMessageContaining("'OrderQueries.find' is read-only");
        });
    }

    @Test
    void refusesAScopeWithoutATransaction() {
        with(inOrders(), TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult(tx -> {
            new JdbcTemplate(orders).queryForObject("SELECT 1", Integer.class);
            assertThat(context.isTransactionActive()).isFalse();
            assertThat(context.noTransactionReason()).startsWith("No active transaction");
        });
    }

    @Test
    void refusesASuspendedTransaction() {
        inOrders()
                .executeWithoutResult(tx -> with(inOrders(), TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(none ->
                                assertThat(context.isTransactionActive()).isFalse()));
    }

    // Callbacks

    @Test
    void tellsOfTheOutcome() {
        inOrders().executeWithoutResult(tx -> register("first"));
        inOrders().executeWithoutResult(tx -> {
            register("second");
            tx.setRollbackOnly();
        });
        assertThatThrownBy(() -> inOrders().executeWithoutResult(tx -> {
                    register("third");
                    throw new IllegalArgumentException();
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(log).containsExactly("first committed", "second rolled back", "third rolled back");
    }

    @Test
    void takesAnUnknownOutcomeForARollback() {
        AbstractPlatformTransactionManager failing = new DataSourceTransactionManager(orders) {
            @Override
            protected void doCommit(org.springframework.transaction.support.DefaultTransactionStatus status) {
                throw new org.springframework.transaction.TransactionSystemException("connection lost");
            }
        };
        assertThatThrownBy(() -> new TransactionTemplate(failing).executeWithoutResult(tx -> register("event")))
                .hasMessage("connection lost");
        assertThat(log).containsExactly("event rolled back");
    }

    @Test
    void keepsCallbacksOfIndependentTransactionsApart() {
        inOrders().executeWithoutResult(outer -> {
            register("outer");
            with(inOrders(), TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> {
                assertThat(context.currentConnection()).isSameAs(DataSourceUtils.getConnection(orders));
                register("inner");
            });
            assertThat(log).containsExactly("inner committed");
            register("outer again");
            outer.setRollbackOnly();
        });
        assertThat(log).containsExactly("inner committed", "outer rolled back", "outer again rolled back");
    }

    @Test
    void joinsATransactionThatIsThereAlready() {
        inOrders().executeWithoutResult(outer -> {
            inOrders().executeWithoutResult(inner -> register("inner"));
            assertThat(log).isEmpty();
        });
        assertThat(log).containsExactly("inner committed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void tellsOfARollbackToASavepointAtOnce(boolean listening) {
        if (listening) {
            listening();
        }
        inOrders().executeWithoutResult(outer -> {
            with(inOrders(), TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                register("first nested");
                nested.setRollbackOnly();
            });
            assertThat(log).containsExactly("first nested rolled back");
            register("outer");
            with(inOrders(), TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                register("second nested");
                nested.setRollbackOnly();
            });
            with(inOrders(), TransactionDefinition.PROPAGATION_NESTED)
                    .executeWithoutResult(nested -> register("third nested"));
        });
        assertThat(log)
                .containsExactly(
                        "first nested rolled back",
                        "second nested rolled back",
                        "outer committed",
                        "third nested committed");
    }

    @Test
    void tellsOfARollbackToASavepointThatTheApplicationSet() {
        inOrders().executeWithoutResult(tx -> {
            register("kept");
            Object savepoint = tx.createSavepoint();
            register("undone");
            tx.rollbackToSavepoint(savepoint);
            register("undone too");
            tx.rollbackToSavepoint(savepoint);
        });
        assertThat(log).containsExactly("undone rolled back", "undone too rolled back", "kept committed");
    }

    @Test
    void carriesOnAfterACallbackThatFails() {
        inOrders().executeWithoutResult(tx -> {
            context.afterCommit(() -> {
                throw new AssertionError("callback");
            });
            register("event");
        });
        assertThat(log).containsExactly("event committed");
    }

    // After the commit

    @ParameterizedTest
    @ValueSource(ints = {TransactionDefinition.PROPAGATION_REQUIRED, TransactionDefinition.PROPAGATION_REQUIRES_NEW})
    void runsCallbacksOutsideOfTheFinishedTransaction(int propagation) {
        List<Connection> connections = new ArrayList<>();
        inOrders().executeWithoutResult(tx -> {
            connections.add(context.currentConnection());
            context.afterCommit(() -> {
                assertThat(context.isTransactionActive()).isFalse();
                assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
                with(inOrders(), propagation).executeWithoutResult(next -> {
                    assertThat(next.isNewTransaction()).isTrue();
                    connections.add(context.currentConnection());
                    new JdbcTemplate(orders).execute("CREATE LOCAL TEMPORARY TABLE probe (id INT)");
                    register("next");
                });
                log.add("first committed");
            });
        });
        assertThat(connections).doesNotHaveDuplicates().hasSize(2);
        assertThat(log).containsExactly("next committed", "first committed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesTheFinishedTransactionInAfterCommitCallbacksOfOthers(boolean listening) {
        if (listening) {
            listening();
        }
        inOrders().executeWithoutResult(tx -> {
            if (!listening) {
                register("written before");
            }
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    tryToWrite("after commit");
                    inOrders().executeWithoutResult(joined -> tryToWrite("after commit, joined"));
                    with(inOrders(), TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                            .executeWithoutResult(fresh -> register("fresh"));
                    tryToWrite("after commit again");
                }

                @Override
                public void afterCompletion(int status) {
                    tryToWrite("after completion");
                    inOrders().executeWithoutResult(joined -> tryToWrite("after completion, joined"));
                }
            });
        });
        assertThat(log)
                .filteredOn(entry -> !entry.startsWith("written before"))
                .containsExactly(
                        "after commit refused",
                        "after commit, joined refused",
                        "fresh committed",
                        "after commit again refused",
                        "after completion refused",
                        "after completion, joined refused");
    }

    private void tryToWrite(String when) {
        assertThat(context.isTransactionActive()).as(when).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> register(when))
                .withMessageContaining("completed already")
                .withMessageContaining("REQUIRES_NEW");
        log.add(when + " refused");
    }

    @Test
    void acceptsWritesOfCallbacksBeforeTheCommit() {
        inOrders()
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                register("late");
                            }
                        }));
        assertThat(log).containsExactly("late committed");
    }
}
