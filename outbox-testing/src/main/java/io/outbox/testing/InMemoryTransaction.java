package io.outbox.testing;

import io.outbox.DuplicateEventException;
import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A transaction of an {@link InMemoryOutboxBackend}, bound to the thread that began it. Closing it without a commit
 * rolls it back.
 *
 * <p>What is registered for its end runs after it has ended, outside of it; a failure there is logged and does not
 * disturb the others.
 */
public final class InMemoryTransaction implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox.writing");

    private final InMemoryTable table;
    private final Runnable unbind;
    private final Thread thread = Thread.currentThread();
    private final Map<String, StoredEvent> written = new LinkedHashMap<>();
    private final List<Consumer<TransactionEnd>> callbacks = new ArrayList<>();
    private boolean ended;

    InMemoryTransaction(InMemoryTable table, Runnable unbind) {
        this.table = table;
        this.unbind = unbind;
    }

    /** Makes the events visible. If one of them is stored already, nothing becomes visible and this throws. */
    public void commit() {
        requireActive();
        try {
            table.insert(written);
        } catch (RuntimeException e) {
            end(TransactionEnd.ROLLED_BACK);
            throw e;
        }
        end(TransactionEnd.COMMITTED);
    }

    /** Forgets the events. */
    public void rollback() {
        requireActive();
        end(TransactionEnd.ROLLED_BACK);
    }

    /** Rolls back, unless the transaction has ended. */
    @Override
    public void close() {
        if (!ended) {
            rollback();
        }
    }

    void add(Map<String, StoredEvent> events) {
        table.requireNew(events.keySet());
        if (events.keySet().stream().anyMatch(written::containsKey)) {
            throw new DuplicateEventException(List.copyOf(events.keySet()), null);
        }
        written.putAll(events);
    }

    void afterCompletion(Consumer<TransactionEnd> callback) {
        callbacks.add(callback);
    }

    private void requireActive() {
        if (ended) {
            throw new IllegalStateException("The transaction has ended already");
        }
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException("The transaction belongs to thread " + thread.getName());
        }
    }

    private void end(TransactionEnd how) {
        ended = true;
        unbind.run();
        for (Consumer<TransactionEnd> callback : callbacks) {
            try {
                callback.accept(how);
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "A callback failed after its transaction had ended", e);
            }
        }
    }
}
