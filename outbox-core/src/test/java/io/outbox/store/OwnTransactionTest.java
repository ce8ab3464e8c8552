package io.outbox.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OwnTransactionTest {

    private final List<String> calls = new ArrayList<>();
    private final Set<String> failing = new HashSet<>();
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                String call = method.getName().equals("setAutoCommit") ? "autoCommit " + args[0] : method.getName();
                calls.add(call);
                if (failing.contains(call)) {
                    throw new SQLException(call + " failed");
                }
                return null;
            });

    private String work() {
        calls.add("work");
        return "result";
    }

    @Test
    void commitsAndReturnsToAutoCommit() throws SQLException {
        assertThat(OwnTransaction.run(connection, this::work)).isEqualTo("result");

        assertThat(calls).containsExactly("autoCommit false", "work", "commit", "autoCommit true");
    }

    @Test
    void rollsBackWhatFails() {
        assertThatIllegalStateException()
                .isThrownBy(() -> OwnTransaction.run(connection, () -> {
                    throw new IllegalStateException("work failed");
                }))
                .withMessage("work failed");

        assertThat(calls).containsExactly("autoCommit false", "rollback", "autoCommit true");
    }

    @Test
    void rollsBackAfterACommitThatFails() {
        failing.add("commit");

        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> OwnTransaction.run(connection, this::work))
                .withMessage("commit failed");

        assertThat(calls).containsExactly("autoCommit false", "work", "commit", "rollback", "autoCommit true");
    }

    @Test
    void cutsTheConnectionOffIfTheRollbackFailsBecauseAutoCommitWouldCommit() {
        failing.add("rollback");

        assertThatIllegalStateException()
                .isThrownBy(() -> OwnTransaction.run(connection, () -> {
                    throw new IllegalStateException("work failed");
                }))
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .satisfies(suppressed -> assertThat(suppressed).hasMessage("rollback failed")));

        assertThat(calls).containsExactly("autoCommit false", "rollback", "abort");
    }

    @Test
    void tellsOfTheFirstFailureThoughTheConnectionCannotBeCutOffEither() {
        failing.addAll(Set.of("rollback", "abort"));

        assertThatIllegalStateException()
                .isThrownBy(() -> OwnTransaction.run(connection, () -> {
                    throw new IllegalStateException("work failed");
                }))
                .withMessage("work failed")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
    }
}
