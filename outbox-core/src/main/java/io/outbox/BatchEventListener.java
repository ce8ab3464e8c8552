package io.outbox;

import java.util.List;
import java.util.Objects;

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

    /** Handles a batch of one. */
    @Override
    default DispatchResult onEvent(EventEnvelope event) throws Exception {
        return only(onEvents(List.of(event)));
    }

    private static DispatchResult only(List<BatchOutcome> outcomes) throws Exception {
        if (outcomes == null || outcomes.size() != 1) {
            throw new IllegalStateException("a batch listener must return one outcome per event");
        }
        return outcomes.get(0).resultOrThrow();
    }

    /** Returns the listener; a way to write one that knows about deliveries as a lambda. */
    static BatchEventListener informed(Informed listener) {
        return Objects.requireNonNull(listener, "listener");
    }

    /** A batch listener that is told about the delivery of each event; the outbox calls the method with the infos. */
    @FunctionalInterface
    interface Informed extends BatchEventListener {

        /**
         * Handles the events and returns one outcome per event, in the same order.
         *
         * @param infos what is known about the delivery of each event, in the same order
         */
        List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) throws Exception;

        /** Handles the events as if they came for the first time. */
        @Override
        default List<BatchOutcome> onEvents(List<EventEnvelope> events) throws Exception {
            return onEvents(events, events.stream().map(DeliveryInfo::first).toList());
        }

        /** Calls a batch listener of either kind. */
        static List<BatchOutcome> call(
                BatchEventListener listener, List<EventEnvelope> events, List<DeliveryInfo> infos) throws Exception {
            return listener instanceof Informed informed ? informed.onEvents(events, infos) : listener.onEvents(events);
        }
    }
}
