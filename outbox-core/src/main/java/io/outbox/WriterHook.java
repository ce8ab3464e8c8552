package io.outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accompanies a batch of events from the write to the end of its transaction.
 *
 * <p>All methods run on the writing thread. {@link #beforeWrite} may change or suppress the batch, and what it throws
 * reaches the caller. What the other methods throw is logged and goes no further: the transaction's fate does not
 * depend on a hook.
 *
 * <p>An event with {@linkplain Subscription subscriptions} is one event for {@link #beforeWrite}, and then is written
 * as one row for each of them: the other methods are given the rows, which have the event's id as their {@linkplain
 * EventEnvelope#originId() origin}.
 */
public interface WriterHook {

    /** Does nothing; delivery is left to the poller or to change data capture. */
    WriterHook NOOP = new WriterHook() {};

    /** Returns the events to insert; {@code null} or an empty list suppresses the write. */
    default @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return events;
    }

    /** Called after the insert, still inside the transaction. */
    default void afterWrite(List<EventEnvelope> events) {}

    /** Called after the transaction has committed. */
    default void afterCommit(List<EventEnvelope> events) {}

    /** Called after the transaction has rolled back, or when its outcome is unknown. */
    default void afterRollback(List<EventEnvelope> events) {}

    /**
     * Returns what this hook is for the writer beyond what this interface says, or {@code null}. A hook that wraps a
     * {@link io.outbox.dispatch.DispatcherWriterHook} may pass the question on, so that events are reserved before they
     * are written; what follows the insert then goes past the wrapper.
     */
    default <T> @Nullable T unwrap(Class<T> type) {
        return type.isInstance(this) ? type.cast(this) : null;
    }
}
