package io.outbox.spi;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The part of a storage engine that the writer uses. Thread-safe. */
public interface WriteBackend {

    /** Returns whether {@link #persist} shares the caller's transaction and must be called inside one. */
    boolean requiresActiveTransaction();

    /** Returns whether the calling thread is in a transaction that {@link #persist} would join. */
    boolean isTransactionActive();

    /** Explains why {@link #isTransactionActive()} is false, for the exception that the writer throws. */
    String noTransactionReason();

    /**
     * Called once, before anything is written or delivered, if events of a key are to keep their order: makes sure that
     * the engine can keep it, from now on.
     *
     * @throws OutboxBackendException if something is missing, with what and how to add it
     */
    default void prepareKeys() {
        throw new UnsupportedOperationException(
                this + " cannot keep the order of keys: ask for its capabilities() first");
    }

    /**
     * Makes other writers of these keys wait until the caller's transaction has ended, and the caller wait for theirs.
     *
     * @param keys in an order that is the same for all writers
     */
    default void lockKeys(Collection<String> keys) {
        throw new UnsupportedOperationException(this + " cannot lock keys");
    }

    /**
     * Stores the events, in order, with status NEW.
     *
     * @return the ids of those events that their owner holds from the moment they become visible
     * @throws io.outbox.DuplicateEventException if an event with the same id is stored already
     */
    Set<String> persist(List<NewEvent> events);

    /**
     * Calls back on this thread when the caller's transaction has ended, outside of it; at once if the thread is in
     * none and the engine needs none.
     */
    void afterCompletion(Consumer<TransactionEnd> callback);
}
