package io.outbox.spring;

import static org.springframework.transaction.support.TransactionSynchronizationManager.getCurrentTransactionName;
import static org.springframework.transaction.support.TransactionSynchronizationManager.isActualTransactionActive;
import static org.springframework.transaction.support.TransactionSynchronizationManager.isCurrentTransactionReadOnly;
import static org.springframework.transaction.support.TransactionSynchronizationManager.isSynchronizationActive;

import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;

/**
 * The Spring transaction of one {@link DataSource}: of a {@code DataSourceTransactionManager}, or of a
 * {@code JpaTransactionManager} that exposes its connection for that DataSource. Thread-safe.
 *
 * <p>Any other transaction counts as none, and {@link #noTransactionReason()} says which one was found: a transaction
 * of another DataSource or of another kind of resource, one without synchronization, a read-only one, and one that has
 * committed already and is still bound to the thread while its after-commit callbacks run.
 *
 * <h2>Which transaction is it</h2>
 *
 * A thread can be in several transactions at once, the inner ones hiding the synchronization of the outer ones but not
 * their connections: an event written to the connection of the outer transaction with the callbacks of the inner one
 * would be delivered although the outer one may still roll back. To tell them apart for certain, this context is a
 * {@link TransactionExecutionListener}: add it to every transaction manager of the application, as the Spring Boot
 * starter does. It then notes the connection that each transaction began with. Without that, a thread with more than
 * one JDBC transaction is refused, since the wrong one cannot be ruled out.
 *
 * <h2>When callbacks run</h2>
 *
 * After completion, on the thread of the transaction, with everything that it left bound to the thread put aside: code
 * in a callback sees no transaction, and one that it begins is a new one. What was registered after a savepoint is told
 * of a rollback as soon as the transaction rolls back to that savepoint through Spring (a nested transaction, or {@code
 * TransactionStatus.rollbackToSavepoint}), while the transaction goes on. What is rolled back on the connection itself,
 * or by the database alone, shows when the outbox looks for its rows before the commit. On PostgreSQL, where it looks
 * only for events written after a savepoint, do not roll back the whole transaction on the connection.
 *
 * <p>The end is unknown if Spring says so, and whenever a commit failed, even if a rollback followed it: the commit may
 * have been made, and only the answer to it got lost. {@link #afterRollback} takes an unknown end for a rollback.
 */
public final class SpringTxContext implements TxContext, TransactionExecutionListener {

    private final DataSource dataSource;
    private final ThreadLocal<Set<ConnectionHolder>> completed =
            ThreadLocal.withInitial(() -> Collections.newSetFromMap(new WeakHashMap<>()));

    /** Creates a context for the transactions of this DataSource; proxies of Spring around it do not matter. */
    public SpringTxContext(DataSource dataSource) {
        this.dataSource = BoundConnections.unwrap(Objects.requireNonNull(dataSource, "dataSource"));
    }

    @Override
    public boolean isTransactionActive() {
        return obstacle() == null;
    }

    /** Explains why {@link #isTransactionActive()} is false: which transaction was found, and which is needed. */
    @Override
    public String noTransactionReason() {
        String obstacle = obstacle();
        return obstacle != null ? obstacle : "There is an active transaction on " + name();
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public Connection currentConnection() {
        requireActive();
        return Objects.requireNonNull(BoundConnections.holderFor(dataSource)).getConnection();
    }

    /**
     * Returns the connection bound to this thread unless it is in auto-commit mode, regardless of the transaction, or
     * {@code null}.
     */
    @Override
    public @Nullable Connection boundConnection() {
        ConnectionHolder holder = BoundConnections.holderFor(dataSource);
        return holder != null && BoundConnections.isTransactional(holder) ? holder.getConnection() : null;
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public boolean beforeCommit(Runnable work) {
        return scope().callbacks().beforeCommit(work);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterCommit(Runnable callback) {
        scope().callbacks().afterCommit(callback);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterRollback(Runnable callback) {
        scope().callbacks().afterRollback(callback);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        scope().callbacks().afterCompletion(callback);
    }

    /** Notes the connection that a new transaction began with. Called by transaction managers. */
    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
        if (beginFailure == null && transaction.isNewTransaction() && opensSynchronization(transaction)) {
            ConnectionHolder holder = BoundConnections.holderFor(dataSource);
            TransactionScope.open(this, TransactionScope.isOfSuspended(this, holder) ? null : holder);
        }
    }

    private static boolean opensSynchronization(TransactionExecution transaction) {
        return isSynchronizationActive()
                && (!(transaction instanceof DefaultTransactionStatus status) || status.isNewSynchronization());
    }

    /** Remembers that the transaction of this connection is over, however long it stays bound to the thread. */
    void markCompleted(ConnectionHolder holder) {
        completed.get().add(holder);
    }

    private TransactionScope scope() {
        requireActive();
        TransactionScope scope = TransactionScope.current(this);
        return scope != null ? scope : TransactionScope.open(this, BoundConnections.holderFor(dataSource));
    }

    private void requireActive() {
        String obstacle = obstacle();
        if (obstacle != null) {
            throw new IllegalStateException(obstacle);
        }
    }

    /** Returns why no event can be written now, or {@code null} if one can. */
    private @Nullable String obstacle() {
        ConnectionHolder holder = BoundConnections.holderFor(dataSource);
        if (holder != null && completed.get().contains(holder)) {
            return "The transaction on " + name() + " that is bound to this thread has completed already, so an event"
                    + " can no longer become part of it: write the event before the commit, or in a new transaction"
                    + " (propagation REQUIRES_NEW)";
        }
        if (!isActualTransactionActive()) {
            return holder != null && !isSynchronizationActive() && BoundConnections.isTransactional(holder)
                    ? "The transaction on " + name() + " runs without transaction synchronization, so nothing can"
                            + " follow its commit: set the transaction manager's transactionSynchronization to ALWAYS"
                    : "No active transaction: an event must be written in the transaction that changes the business"
                            + " data. Begin one on " + name() + ", for example with @Transactional, before calling"
                            + " write(). A reactive transaction (R2DBC, or"
                            + " @Transactional on a method that returns a Mono or"
                            + " suspends) does not count: write in a JDBC"
                            + " transaction, on a thread that may block";
        }
        if (!isSynchronizationActive()) {
            return found() + " is completing, so nothing can be registered with it anymore: begin a new transaction on "
                    + name() + " (propagation REQUIRES_NEW)";
        }
        if (holder == null || !belongsToCurrentTransaction(holder)) {
            return found() + " is not a transaction on " + name() + ": it has "
                    + BoundConnections.describeOthers(dataSource)
                    + ". Use the transaction manager of the outbox's DataSource";
        }
        if (isCurrentTransactionReadOnly()) {
            return found() + " is read-only: an event must be written in a read-write transaction on " + name();
        }
        return null;
    }

    private boolean belongsToCurrentTransaction(ConnectionHolder holder) {
        TransactionScope scope = TransactionScope.current(this);
        if (scope != null) {
            return scope.holder() == holder;
        }
        return BoundConnections.isTransactional(holder)
                && !TransactionScope.isOfSuspended(this, holder)
                && !BoundConnections.hasOtherTransactions(dataSource);
    }

    private static String found() {
        String name = getCurrentTransactionName();
        return name == null ? "The active transaction (it has no name)" : "The active transaction '" + name + "'";
    }

    private String name() {
        return BoundConnections.describe(dataSource);
    }

    @Override
    public String toString() {
        return "SpringTxContext[" + name() + "]";
    }
}
