package io.outbox.spi;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * What is due around the end of one transaction: the part of a {@link TxContext} that is the same for every transaction
 * manager.
 *
 * <p>A context keeps one of these with each of its transactions. It registers here what it is given, calls {@link
 * #commitBegins} and {@link #runBeforeCommit} right before a commit, and {@link #ended} once the transaction is over.
 * Callbacks run on the calling thread, in the order in which they were registered; nothing that they throw comes out.
 * Thread-safe, since some transaction managers end a transaction that has timed out on a thread of theirs.
 */
public final class TransactionCallbacks {

    private static final System.Logger LOG = System.getLogger("io.outbox.writing");

    private final List<Runnable> beforeCommit = new ArrayList<>();
    private final List<Consumer<TransactionEnd>> afterCompletion = new ArrayList<>();
    private boolean committing;

    /** Registers work as {@link TxContext#beforeCommit} does; returns {@code true}. */
    public synchronized boolean beforeCommit(Runnable work) {
        return beforeCommit.add(Objects.requireNonNull(work, "work"));
    }

    /** Registers a callback as {@link TxContext#afterCommit} does. */
    public void afterCommit(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        afterCompletion(end -> {
            if (end == TransactionEnd.COMMITTED) {
                callback.run();
            }
        });
    }

    /** Registers a callback as {@link TxContext#afterRollback} does. */
    public void afterRollback(Runnable callback) {
        Objects.requireNonNull(callback, "callback");
        afterCompletion(end -> {
            if (end != TransactionEnd.COMMITTED) {
                callback.run();
            }
        });
    }

    /** Registers a callback as {@link TxContext#afterCompletion} does. */
    public synchronized void afterCompletion(Consumer<TransactionEnd> callback) {
        afterCompletion.add(Objects.requireNonNull(callback, "callback"));
    }

    /** Returns how many callbacks for the end are registered, by which {@link #rolledBackTo} tells later ones. */
    public synchronized int size() {
        return afterCompletion.size();
    }

    /** Notes that the transaction is about to be committed: from now on a rollback is no certain end. */
    public synchronized void commitBegins() {
        committing = true;
    }

    /** Runs the work that is due before the commit, inside the transaction, unless it is about to be rolled back. */
    public void runBeforeCommit() {
        takeBeforeCommit().forEach(TransactionCallbacks::runSafely); // not under the lock: it may wait for the database
    }

    private synchronized List<Runnable> takeBeforeCommit() {
        if (!committing) {
            return List.of();
        }
        List<Runnable> taken = List.copyOf(beforeCommit);
        beforeCommit.clear();
        return taken;
    }

    /**
     * Ends what was registered after the first {@code size} callbacks, since the transaction went back to a savepoint.
     */
    public void rolledBackTo(int size) {
        tell(TransactionEnd.ROLLED_BACK, takeFrom(size));
    }

    /**
     * Returns how the transaction ended, by what its manager reports. The end is unknown, too, if work for the time
     * before the commit came too late for it, and if a commit was tried before the rollback: managers report that
     * rollback also if it was the answer to the commit that got lost, and then the commit stands.
     */
    public synchronized TransactionEnd end(boolean reportedCommitted, boolean reportedRolledBack) {
        if (reportedCommitted) {
            return beforeCommit.isEmpty() ? TransactionEnd.COMMITTED : TransactionEnd.UNKNOWN;
        }
        return reportedRolledBack && !committing ? TransactionEnd.ROLLED_BACK : TransactionEnd.UNKNOWN;
    }

    /**
     * Tells every callback how the transaction ended. Call it outside of the transaction; callbacks may begin a new
     * one.
     */
    public void ended(TransactionEnd end) {
        tell(Objects.requireNonNull(end, "end"), takeFrom(0));
    }

    private synchronized List<Consumer<TransactionEnd>> takeFrom(int index) {
        List<Consumer<TransactionEnd>> tail = afterCompletion.subList(index, afterCompletion.size());
        List<Consumer<TransactionEnd>> taken = List.copyOf(tail);
        tail.clear();
        return taken;
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
