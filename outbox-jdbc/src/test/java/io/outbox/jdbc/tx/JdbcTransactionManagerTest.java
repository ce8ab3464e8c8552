package io.outbox.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxStoreException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
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
}
