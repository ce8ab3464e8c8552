package io.outbox.testing;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A transaction of an {@link InMemoryOutboxBackend}, bound to the thread that began it. Closing it without a commit
 * rolls it back.
 *
 * <p>What is registered for its end runs after it has ended, outside of it; a failure there is logged and does not
 * disturb the others.
 */
public final class InMemoryTransaction implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(InMemoryTransaction.class.getName());

    private final InMemoryOutboxBackend backend;
    private final Thread thread = Thread.currentThread();
    private final Map<String, StoredEvent> written = new LinkedHashMap<>();
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();
    private boolean ended;

    InMemoryTransaction(InMemoryOutboxBackend backend) {
        this.backend = backend;
    }

    /** Makes the events visible. If one of them is stored already, nothing becomes visible and this throws. */
    public void commit() {
        requireActive();
        try {
            backend.store(written);
        } catch (RuntimeException e) {
            end(afterRollback);
            throw e;
        }
        end(afterCommit);
    }

    /** Forgets the events. */
    public void rollback() {
        requireActive();
        end(afterRollback);
    }

    /** Rolls back, unless the transaction has ended. */
    @Override
    public void close() {
        if (!ended) {
            rollback();
        }
    }

    void add(StoredEvent event) {
        if (written.putIfAbsent(event.eventId(), event) != null) {
            throw InMemoryOutboxBackend.alreadyStored(event.eventId());
        }
    }

    void afterCompletion(Runnable committed, Runnable rolledBack) {
        afterCommit.add(committed);
        afterRollback.add(rolledBack);
    }

    private void requireActive() {
        if (ended) {
            throw new IllegalStateException("The transaction has ended already");
        }
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException("The transaction belongs to thread " + thread.getName());
        }
    }

    private void end(List<Runnable> callbacks) {
        ended = true;
        backend.unbind();
        for (Runnable callback : callbacks) {
            try {
                callback.run();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "A callback failed after its transaction had ended", e);
            }
        }
    }
}
