package io.outbox.jta;

import io.outbox.spi.TransactionCallbacks;
import io.outbox.spi.TransactionEnd;
import io.outbox.spi.TxContext;
import jakarta.transaction.Status;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The Jakarta transaction (JTA) of the calling thread, for Jakarta EE servers, Quarkus and others with a {@link
 * TransactionSynchronizationRegistry}. Thread-safe.
 *
 * <p>The DataSource must be one that takes part in Jakarta transactions: its connections belong to the transaction that
 * is active when they are taken. The outbox takes one in each transaction that writes events, and closes it before the
 * commit; its changes are committed or rolled back with the others. A transaction that is marked for rollback counts as
 * none.
 *
 * <p>Callbacks run as interposed synchronizations: work before the commit follows everything that the application and
 * its persistence provider do there, such as a flush. After completion they run on the thread that ends the
 * transaction, which is the transaction manager's own if a transaction has timed out. A transaction that was about to
 * commit and is reported as rolled back has an unknown end: a resource whose answer got lost may have committed.
 */
public final class JtaTxContext implements TxContext {

    private final TransactionSynchronizationRegistry registry;
    private final DataSource dataSource;

    /**
     * Creates a context for the transactions of a registry.
     *
     * @param registry the one of the server or framework: in Jakarta EE at {@code
     * java:comp/TransactionSynchronizationRegistry}, in
     *     Quarkus a bean
     * @param dataSource where the outbox table is; takes part in the transactions
     */
    public JtaTxContext(TransactionSynchronizationRegistry registry, DataSource dataSource) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    @Override
    public boolean isTransactionActive() {
        return registry.getTransactionStatus() == Status.STATUS_ACTIVE;
    }

    /** Explains why {@link #isTransactionActive()} is false. */
    @Override
    public String noTransactionReason() {
        return switch (registry.getTransactionStatus()) {
            case Status.STATUS_NO_TRANSACTION ->
                "No active transaction: an event must be written in the Jakarta transaction that"
                        + " changes the business data. Begin one, for example with @Transactional, before calling write()";
            case Status.STATUS_MARKED_ROLLBACK ->
                "The Jakarta transaction is marked for rollback, so an event that is written"
                        + " in it would be lost: an earlier failure or its timeout has marked it";
            default ->
                "The Jakarta transaction is ending, so an event can no longer become part of it: write the event before"
                        + " the commit, or in a new transaction (REQUIRES_NEW)";
        };
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public Connection currentConnection() {
        return scope().connection(dataSource);
    }

    /**
     * Returns the connection that the outbox has taken in this transaction, or {@code null} if it has taken none. Takes
     * none itself: the work of the outbox that asks is not part of the transaction.
     */
    @Override
    public @Nullable Connection boundConnection() {
        JtaScope scope = isTransactionActive() ? (JtaScope) registry.getResource(this) : null;
        return scope == null ? null : scope.openConnection();
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public boolean beforeCommit(Runnable work) {
        return callbacks().beforeCommit(work);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterCommit(Runnable callback) {
        callbacks().afterCommit(callback);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterRollback(Runnable callback) {
        callbacks().afterRollback(callback);
    }

    /** @throws IllegalStateException with {@link #noTransactionReason()} if no transaction is active */
    @Override
    public void afterCompletion(Consumer<TransactionEnd> callback) {
        callbacks().afterCompletion(callback);
    }

    private TransactionCallbacks callbacks() {
        return scope().callbacks();
    }

    /** Returns what this context knows of the current transaction, which the registry keeps with it. */
    private JtaScope scope() {
        if (!isTransactionActive()) {
            throw new IllegalStateException(noTransactionReason());
        }
        JtaScope scope = (JtaScope) registry.getResource(this);
        if (scope == null) {
            scope = new JtaScope();
            registry.registerInterposedSynchronization(scope);
            registry.putResource(this, scope);
        }
        return scope;
    }
}
