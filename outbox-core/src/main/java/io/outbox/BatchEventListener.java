package io.outbox;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

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

    /** Returns the maximum number of events in one call; at least 1. */
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

    /**
     * A batch listener that receives information about the delivery of each event; the outbox calls the method with the
     * infos.
     */
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

    /**
     * A batch listener that may wait for its target for longer than an operator wants to be left in the dark, and says
     * so while it waits. It keeps its events meanwhile: what the target answers in the end still counts.
     */
    @FunctionalInterface
    interface Waiting extends Informed {

        /**
         * Handles the events and returns one outcome per event, in the same order.
         *
         * @param silence takes the reason why the target does not answer, from any thread and until this method
         * returns.
         *     The route is shown as unavailable from then on and gets no more events but single ones from time to time,
         *     until events of it succeed
         */
        List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception;

        /** Handles the events without reporting silence of the target. */
        @Override
        default List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) throws Exception {
            return onEvents(events, infos, reason -> {});
        }

        /** Calls a batch listener of any kind. */
        static List<BatchOutcome> call(
                BatchEventListener listener,
                List<EventEnvelope> events,
                List<DeliveryInfo> infos,
                Consumer<RouteUnavailableException> silence)
                throws Exception {
            return listener instanceof Waiting waiting
                    ? waiting.onEvents(events, infos, silence)
                    : Informed.call(listener, events, infos);
        }
    }

    /**
     * A batch listener that can take the next batch while its target has not answered for the one before, so that the
     * way to a distant target is not waited for batch by batch.
     *
     * <p>A worker begins batches in delivery order, and asks for their outcomes in the same order and on the same
     * thread. How much may be under way is the outbox's affair; in {@linkplain Outbox#ordered() ordered mode} it is one
     * batch at a time.
     */
    interface Pipelined extends Waiting {

        /**
         * Hands the events to the target and returns before it has answered. Throwing means that every event of the
         * batch failed with that exception.
         *
         * @param silence as for {@link Waiting#onEvents(List, List, Consumer)}, until the outcomes are returned
         */
        Pending begin(List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception;

        /** Handles the events and waits for the target's answers. */
        @Override
        default List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return begin(events, infos, silence).outcomes();
        }

        /** Begins with a batch listener of any kind; those of other kinds have ended when this returns. */
        static Pending call(
                BatchEventListener listener,
                List<EventEnvelope> events,
                List<DeliveryInfo> infos,
                Consumer<RouteUnavailableException> silence)
                throws Exception {
            return listener instanceof Pipelined pipelined
                    ? pipelined.begin(events, infos, silence)
                    : Pending.of(Waiting.call(listener, events, infos, silence));
        }
    }

    /** A batch that is with its target. */
    interface Pending {

        /**
         * Runs the action as soon as {@link #outcomes()} need not be waited for, on any thread, or now if that is so
         * already. Called once; the action does not wait and does not throw.
         */
        void whenAnswered(Runnable action);

        /**
         * Waits for the target's answers and returns one outcome per event, in the same order. Called once. If the
         * thread is interrupted, it returns soon, and what was not answered has failed.
         */
        List<BatchOutcome> outcomes() throws Exception;

        /** Returns a batch whose outcomes are known. */
        static Pending of(List<BatchOutcome> outcomes) {
            return new Pending() {
                @Override
                public void whenAnswered(Runnable action) {
                    action.run();
                }

                @Override
                public List<BatchOutcome> outcomes() {
                    return outcomes;
                }
            };
        }
    }
}
