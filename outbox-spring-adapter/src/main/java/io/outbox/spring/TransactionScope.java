package io.outbox.spring;

import io.outbox.spi.TransactionCallbacks;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One transaction as a {@link SpringTxContext} sees it: the connection it began with and the callbacks for its end.
 *
 * <p>Bound to the thread while its transaction is the current one. While it is suspended, it is bound as the head of
 * the chain of suspended ones, so that an inner transaction does not take the connection of an outer one for its own.
 * Runs before other synchronizations, so that the transaction is known as completed when their callbacks come.
 */
final class TransactionScope implements TransactionSynchronization {

    private final SpringTxContext context;
    private final @Nullable ConnectionHolder holder;
    private final TransactionCallbacks callbacks = new TransactionCallbacks();
    private final Map<Object, Integer> savepoints = new HashMap<>();
    private @Nullable TransactionScope nextSuspended;

    private TransactionScope(SpringTxContext context, @Nullable ConnectionHolder holder) {
        this.context = context;
        this.holder = holder;
    }

    /** The thread-bound key of the suspended scopes of a context. */
    private record SuspendedOf(SpringTxContext context) {}

    /** Returns the scope of the current transaction, or {@code null} if none was opened. */
    static @Nullable TransactionScope current(SpringTxContext context) {
        return (TransactionScope) TransactionSynchronizationManager.getResource(context);
    }

    /** Returns whether the connection is that of a suspended transaction. */
    static boolean isOfSuspended(SpringTxContext context, @Nullable ConnectionHolder holder) {
        for (TransactionScope scope = firstSuspended(context); scope != null; scope = scope.nextSuspended) {
            if (scope.holder == holder) {
                return true;
            }
        }
        return false;
    }

    /** Opens the scope of the current transaction, whose connection is {@code null} if it is not on the DataSource. */
    static TransactionScope open(SpringTxContext context, @Nullable ConnectionHolder holder) {
        TransactionScope scope = new TransactionScope(context, holder);
        TransactionSynchronizationManager.registerSynchronization(scope);
        rebind(context, scope);
        return scope;
    }

    private static @Nullable TransactionScope firstSuspended(SpringTxContext context) {
        return (TransactionScope) TransactionSynchronizationManager.getResource(new SuspendedOf(context));
    }

    private static void rebind(Object key, @Nullable TransactionScope scope) {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
        if (scope != null) {
            TransactionSynchronizationManager.bindResource(key, scope);
        }
    }

    @Nullable
    ConnectionHolder holder() {
        return holder;
    }

    TransactionCallbacks callbacks() {
        return callbacks;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        rebind(context, null);
        nextSuspended = firstSuspended(context);
        rebind(new SuspendedOf(context), this);
    }

    @Override
    public void resume() {
        rebind(new SuspendedOf(context), nextSuspended);
        nextSuspended = null;
        rebind(context, this);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, callbacks.size());
    }

    /** Ends what was registered since the savepoint; one that this scope did not see is older than all of it. */
    @Override
    public void savepointRollback(Object savepoint) {
        callbacks.rolledBackTo(savepoints.getOrDefault(savepoint, 0));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        callbacks.commitBegins();
    }

    /**
     * Runs what is due before the commit, now that every other synchronization had its chance to use the connection.
     */
    @Override
    public void beforeCompletion() {
        callbacks.runBeforeCommit();
    }

    @Override
    public void afterCommit() {
        markCompleted();
    }

    @Override
    public void afterCompletion(int status) {
        markCompleted();
        rebind(context, null);
        if (callbacks.size() > 0) {
            boolean committed = status == STATUS_COMMITTED;
            DetachedThread.run(() -> callbacks.ended(callbacks.end(committed, status == STATUS_ROLLED_BACK)));
        }
    }

    private void markCompleted() {
        if (holder != null) {
            context.markCompleted(holder);
        }
    }
}
