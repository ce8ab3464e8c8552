package io.outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.testservers.support.CapturedLog;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What becomes of a connection when its transaction does not end as it should. */
class JdbcTransactionManagerTest {

    private final List<String> calls = new ArrayList<>();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private String failing = "";
    private final JdbcTransactionManager transactions = new JdbcTransactionManager(this::connect, txContext);

    private Connection connect() {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    String call = method.getName() + (args == null ? "" : " " + args[0]);
                    calls.add(call);
                    if (call.equals(failing)) {
                        throw new SQLException("the connection is broken");
                    }
                    return method.getReturnType() == boolean.class ? true : null;
                });
    }

    @Test
    void aConnectionGoesBackAsItWas() {
        transactions.begin().commit();

        assertThat(calls)
                .containsExactly("getAutoCommit", "setAutoCommit false", "commit", "setAutoCommit true", "close");
    }

    @Test
    void whatCouldNotBeRolledBackIsNotCommittedByRestoringAutoCommit() {
        failing = "rollback";
        JdbcTransactionManager.Transaction transaction = transactions.begin();

        assertThatThrownBy(transaction::rollback).isInstanceOf(OutboxStoreException.class);

        assertThat(calls).containsExactly("getAutoCommit", "setAutoCommit false", "rollback", "close");
        assertThat(txContext.isTransactionActive()).isFalse();
    }

    @Test
    void afterAFailedCommitTheConnectionIsOnlyClosed() {
        failing = "commit";
        JdbcTransactionManager.Transaction transaction = transactions.begin();

        assertThatThrownBy(transaction::commit).isInstanceOf(OutboxStoreException.class);

        assertThat(calls).containsExactly("getAutoCommit", "setAutoCommit false", "commit", "close");
    }

    @Test
    void aRollbackAfterTheEndDoesNothingAndLeavesTheCauseInSight() {
        failing = "commit";

        assertThatThrownBy(() -> {
                    JdbcTransactionManager.Transaction transaction = transactions.begin();
                    try {
                        transaction.commit();
                    } catch (OutboxStoreException e) {
                        transaction.rollback();
                        throw e;
                    }
                })
                .hasMessageContaining("Commit failed")
                .hasNoSuppressedExceptions();

        assertThat(calls).doesNotContain("rollback");
    }

    @Test
    void aCommitAfterTheEndIsAMistake() {
        JdbcTransactionManager.Transaction transaction = transactions.begin();
        transaction.rollback();
        transaction.rollback();
        transaction.close();

        assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> transaction.rollbackTo(null)).isInstanceOf(IllegalStateException.class);
        assertThat(calls.stream().filter("rollback"::equals)).hasSize(1);
        assertThat(calls.stream().filter("close"::equals)).hasSize(1);
    }

    @Test
    void threeEndsAreToldApart() {
        assertThat(endOf(JdbcTransactionManager.Transaction::commit)).containsExactly("COMMITTED", "after commit");
        assertThat(endOf(JdbcTransactionManager.Transaction::rollback))
                .containsExactly("ROLLED_BACK", "after rollback");
        assertThat(endOf(JdbcTransactionManager.Transaction::close)).containsExactly("ROLLED_BACK", "after rollback");
        assertThat(endOf(transaction -> {
                    transaction.rollbackTo(null);
                    transaction.commit();
                }))
                .as("a part was rolled back")
                .containsExactly("UNKNOWN", "after rollback");
        assertThat(endOf(transaction -> {
                    transaction.rollbackTo(null);
                    transaction.rollback();
                }))
                .containsExactly("ROLLED_BACK", "after rollback");
        failing = "commit";
        assertThat(endOf(transaction ->
                        assertThatThrownBy(transaction::commit).isInstanceOf(OutboxStoreException.class)))
                .containsExactly("UNKNOWN", "after rollback");
        failing = "rollback";
        assertThat(endOf(transaction ->
                        assertThatThrownBy(transaction::rollback).isInstanceOf(OutboxStoreException.class)))
                .containsExactly("UNKNOWN", "after rollback");
    }

    @Test
    void workBeforeTheCommitIsDoneOnceAndStopsNothing() {
        JdbcTransactionManager.Transaction transaction = transactions.begin();
        assertThat(txContext.beforeCommit(() -> {
                    calls.add("work");
                    throw new IllegalStateException("on purpose");
                }))
                .isTrue();
        try (CapturedLog log = CapturedLog.open()) {
            transaction.commit();
            assertThat(log.text()).contains("on purpose");
        }
        JdbcTransactionManager.Transaction undone = transactions.begin();
        txContext.beforeCommit(() -> calls.add("never"));
        undone.rollback();

        assertThat(calls).containsSubsequence("work", "commit").doesNotContain("never");
    }

    /** Returns what callbacks are told when a transaction ends that way. */
    private List<String> endOf(Consumer<JdbcTransactionManager.Transaction> ending) {
        List<String> told = new ArrayList<>();
        JdbcTransactionManager.Transaction transaction = transactions.begin();
        txContext.afterCompletion(end -> told.add(end.name()));
        txContext.afterCommit(() -> told.add("after commit"));
        txContext.afterRollback(() -> told.add("after rollback"));
        ending.accept(transaction);
        assertThat(txContext.isTransactionActive()).isFalse();
        return told;
    }

    @Test
    void callbacksRunInOrderOfRegistrationAndNoneStopsTheOthers() {
        List<Integer> order = new ArrayList<>();
        JdbcTransactionManager.Transaction transaction = transactions.begin();
        txContext.afterCommit(() -> order.add(1));
        txContext.afterCompletion(end -> {
            order.add(2);
            throw new IllegalStateException("on purpose");
        });
        txContext.afterRollback(() -> order.add(0));
        txContext.afterCommit(() -> order.add(3));

        try (CapturedLog log = CapturedLog.open()) {
            transaction.commit();
            assertThat(log.text()).contains("on purpose");
        }

        assertThat(order).containsExactly(1, 2, 3);
    }
}
