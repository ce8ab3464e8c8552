package io.outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.ForwardingBatchListener;
import io.outbox.ForwardingListener;
import io.outbox.RouteUnavailableException;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import java.util.List;
import java.util.function.Consumer;

/**
 * Listeners whose calls are observed as the continuation of the trace in which the event was written, at every attempt.
 *
 * <p>A batch has an observation for each of its events, since each may belong to another trace; the first one's is
 * current during the call.
 */
final class ObservedListeners {

    private ObservedListeners() {}

    /** Returns the registry with its listeners observed; as it is, if nobody observes. */
    static ListenerRegistry of(ListenerRegistry listeners, Observing observations) {
        if (observations.registry.isNoop()) {
            return listeners;
        }
        return new Observed(listeners, observations);
    }

    private static final class Observed extends ForwardingRegistry {

        private final Observing observations;

        private Observed(ListenerRegistry listeners, Observing observations) {
            super(listeners);
            this.observations = observations;
        }

        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            EventListener listener = super.listenerFor(aggregateType, eventType);
            if (listener instanceof BatchEventListener batching) {
                return new Batching(batching, observations);
            }
            return listener == null ? null : new Single(listener, observations);
        }
    }

    /** How calls are observed. */
    record Observing(ObservationRegistry registry, OutboxProcessConvention convention) {

        private Observation start(EventEnvelope event) {
            return Observation.createNotStarted(
                            convention,
                            OutboxProcessConvention.DEFAULT,
                            () -> new OutboxProcessContext(event),
                            registry)
                    .start();
        }
    }

    private static final class Single extends ForwardingListener {

        private final Observing observations;

        private Single(EventListener listener, Observing observations) {
            super(listener);
            this.observations = observations;
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
            Observation observation = observations.start(event);
            Observation.Scope scope = observation.openScope();
            try {
                return super.onEvent(event, info);
            } catch (Throwable e) {
                observation.error(e);
                throw e;
            } finally {
                scope.close();
                observation.stop();
            }
        }
    }

    private static final class Batching extends ForwardingBatchListener {

        private final Observing observations;

        private Batching(BatchEventListener listener, Observing observations) {
            super(listener);
            this.observations = observations;
        }

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return begin(events, infos, silence).outcomes();
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            List<Observation> started =
                    events.stream().map(event -> observations.start(event)).toList();
            Observation.Scope scope = started.get(0).openScope();
            try {
                return new ObservedBatch(forward(events, infos, silence), started);
            } catch (Throwable e) {
                fail(started, e);
                throw e;
            } finally {
                scope.close();
            }
        }
    }

    private static void fail(List<Observation> started, Throwable error) {
        started.forEach(observation -> observation.error(error).stop());
    }

    /** A batch under way, which is observed until its outcomes are known. */
    private record ObservedBatch(BatchEventListener.Pending pending, List<Observation> started)
            implements BatchEventListener.Pending {

        @Override
        public void whenAnswered(Runnable action) {
            pending.whenAnswered(action);
        }

        @Override
        public List<BatchOutcome> outcomes() throws Exception {
            Observation.Scope scope = started.get(0).openScope();
            try {
                List<BatchOutcome> outcomes = pending.outcomes();
                markFailures(started, outcomes);
                started.forEach(Observation::stop);
                return outcomes;
            } catch (Throwable e) {
                fail(started, e);
                throw e;
            } finally {
                scope.close();
            }
        }

        private static void markFailures(List<Observation> observations, List<BatchOutcome> outcomes) {
            if (outcomes == null || outcomes.size() != observations.size()) {
                return;
            }
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i) instanceof BatchOutcome.Failed failed) {
                    observations.get(i).error(failed.error());
                }
            }
        }
    }
}
