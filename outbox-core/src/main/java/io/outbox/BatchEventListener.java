package io.outbox;

import java.util.List;

/**
 * An {@link EventListener} that takes several queued events of its route in one call, for targets that are faster in
 * batches: a broker, a bulk API, a multi-row insert.
 *
 * <p>A worker hands over what is queued at that moment, up to {@link #maxBatchSize()}, and never waits for a batch to
 * fill. Events stand in delivery order.
 */
@FunctionalInterface
public interface BatchEventListener extends EventListener {

    /** The batch size of listeners that do not choose one. */
    int DEFAULT_MAX_BATCH_SIZE = 100;

    /**
     * Handles the events and returns one outcome per event, in the same order. Throwing means that every event of the
     * batch failed with that exception; so does a list of another size.
     */
    List<BatchOutcome> onEvents(List<EventEnvelope> events) throws Exception;

    /** Returns the largest number of events this listener takes at once; at least 1. */
    default int maxBatchSize() {
        return DEFAULT_MAX_BATCH_SIZE;
    }

    @Override
    default DispatchResult onEvent(EventEnvelope event) throws Exception {
        List<BatchOutcome> outcomes = onEvents(List.of(event));
        if (outcomes == null || outcomes.size() != 1) {
            throw new IllegalStateException("a batch listener must return one outcome per event");
        }
        return outcomes.get(0).resultOrThrow();
    }
}
