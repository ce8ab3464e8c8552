package io.outbox.spring;

import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * One transaction as a {@link SpringTxContext} sees it: the connection it began with and the callbacks for its end.
 *
 * <p>Bound to the thread while its transaction is the current one. While it is suspended, it is bound as the head of the
 * chain of suspended ones, so that an inner transaction does not take the connection of an outer one for its own. Runs
 * before other synchronizations, so that the transaction is known as completed when their callbacks come.
 */
final class TransactionScope implements TransactionSynchronization {

    private static final System.Logger LOG = System.getLogger(TransactionScope.class.getName());

    private final SpringTxContext context;
    private final ConnectionHolder holder;
    private final List<Runnable> beforeCommit = new ArrayList<>();
    private final List<Consumer<TransactionEnd>> callbacks = new ArrayList<>();
    private final Map<Object, Integer> savepoints = new HashMap<>();
    private TransactionScope nextSuspended;
    private boolean committing;

    private TransactionScope(SpringTxContext context, ConnectionHolder holder) {
        this.context = context;
        this.holder = holder;
    }

    /** The thread-bound key of the suspended scopes of a context. */
    private record SuspendedOf(SpringTxContext context) {}

    /** Returns the scope of the current transaction, or {@code null} if none was opened. */
    static TransactionScope current(SpringTxContext context) {
        return (TransactionScope) TransactionSynchronizationManager.getResource(context);
    }

    /** Returns whether the connection is that of a suspended transaction. */
    static boolean isOfSuspended(SpringTxContext context, ConnectionHolder holder) {
        for (TransactionScope scope = firstSuspended(context); scope != null; scope = scope.nextSuspended) {
            if (scope.holder == holder) {
                return true;
            }
        }
        return false;
    }

    /** Opens the scope of the current transaction, whose connection is {@code null} if it is not on the DataSource. */
    static TransactionScope open(SpringTxContext context, ConnectionHolder holder) {
        TransactionScope scope = new TransactionScope(context, holder);
        TransactionSynchronizationManager.registerSynchronization(scope);
        rebind(context, scope);
        return scope;
    }

    private static TransactionScope firstSuspended(SpringTxContext context) {
        return (TransactionScope) TransactionSynchronizationManager.getResource(new SuspendedOf(context));
    }

    private static void rebind(Object key, TransactionScope scope) {
        TransactionSynchronizationManager.unbindResourceIfPossible(key);
        if (scope != null) {
            TransactionSynchronizationManager.bindResource(key, scope);
        }
    }

    ConnectionHolder holder() {
        return holder;
    }

    void beforeCommit(Runnable work) {
        beforeCommit.add(work);
    }

    void afterCompletion(Consumer<TransactionEnd> callback) {
        callbacks.add(callback);
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
        int kept = savepoints.getOrDefault(savepoint, 0);
        tell(TransactionEnd.ROLLED_BACK, takeFrom(kept));
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        committing = true;
    }

    /** Runs what is due before the commit, now that every other synchronization had its chance to use the connection. */
    @Override
    public void beforeCompletion() {
        if (committing) {
            beforeCommit.forEach(TransactionScope::runSafely);
            beforeCommit.clear();
        }
    }

    @Override
    public void afterCommit() {
        markCompleted();
    }

    @Override
    public void afterCompletion(int status) {
        markCompleted();
        rebind(context, null);
        List<Consumer<TransactionEnd>> due = takeFrom(0);
        if (!due.isEmpty()) {
            DetachedThread.run(() -> tell(end(status), due));
        }
    }

    /**
     * Returns how the transaction ended: in an unknown way as well if work that was due before the commit came too late for it,
     * in a scope that was opened while the transaction was committing. Transaction managers report a rollback also when the commit has failed and the
     * rollback that they tried then went through; but if it was the answer to the commit that got lost, the commit stands.
     */
    private TransactionEnd end(int status) {
        if (status == STATUS_COMMITTED) {
            return beforeCommit.isEmpty() ? TransactionEnd.COMMITTED : TransactionEnd.UNKNOWN;
        }
        return status == STATUS_ROLLED_BACK && !committing ? TransactionEnd.ROLLED_BACK : TransactionEnd.UNKNOWN;
    }

    private List<Consumer<TransactionEnd>> takeFrom(int index) {
        List<Consumer<TransactionEnd>> tail = callbacks.subList(index, callbacks.size());
        List<Consumer<TransactionEnd>> taken = List.copyOf(tail);
        tail.clear();
        return taken;
    }

    private void markCompleted() {
        if (holder != null) {
            context.markCompleted(holder);
        }
    }

    private static void tell(TransactionEnd end, List<Consumer<TransactionEnd>> callbacks) {
        callbacks.forEach(callback -> runSafely(() -> callback.accept(end)));
    }

    private static void runSafely(Runnable callback) {
        try {
            callback.run();
        } catch (Throwable e) {
            LOG.log(Level.WARNING, "A transaction callback failed; the transaction is not affected", e);
        }
    }
}
