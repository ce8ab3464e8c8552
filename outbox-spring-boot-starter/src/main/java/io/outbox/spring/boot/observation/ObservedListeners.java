package io.outbox.spring.boot.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.outbox.AggregateType;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.ForwardingBatchListener;
import io.outbox.ForwardingListener;
import io.outbox.RouteUnavailableException;
import io.outbox.registry.ListenerRegistry;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Listeners whose calls are observed as the continuation of the trace in which the event was written, at every attempt.
 *
 * <p>A batch has an observation for each of its events, since each may belong to another trace; the first one's is
 * current during the call.
 */
final class ObservedListeners {

    static final String NAME = "outbox.process";

    private ObservedListeners() {}

    /** Returns the registry with its listeners observed; as it is, if nobody observes. */
    static ListenerRegistry of(ListenerRegistry listeners, ObservationRegistry observations) {
        if (observations.isNoop()) {
            return listeners;
        }
        return new Observed(listeners, observations);
    }

    private record Observed(ListenerRegistry listeners, ObservationRegistry observations) implements ListenerRegistry {
        @Override
        public EventListener listenerFor(String aggregateType, String eventType) {
            EventListener listener = listeners.listenerFor(aggregateType, eventType);
            if (listener instanceof BatchEventListener batching) {
                return new Batching(batching, observations);
            }
            return listener == null ? null : new Single(listener, observations);
        }

        @Override
        public boolean hasListenerFor(String eventType) {
            return listeners.hasListenerFor(eventType);
        }

        @Override
        public String currentType(String eventType) {
            return listeners.currentType(eventType);
        }
    }

    private static Observation start(EventEnvelope event, ObservationRegistry observations) {
        ReceiverContext<Map<String, String>> context = new ReceiverContext<>(Map::get, Kind.CONSUMER);
        context.setCarrier(event.headers());
        return Observation.createNotStarted(NAME, () -> context, observations)
                .contextualName(event.eventType() + " process")
                .lowCardinalityKeyValue("outbox.event.type", event.eventType())
                .lowCardinalityKeyValue("outbox.aggregate.type", shown(event.aggregateType()))
                .highCardinalityKeyValue("outbox.event.id", event.eventId())
                .start();
    }

    /** An event of no aggregate has the tag too, since all meters of a name must have the same ones. */
    private static String shown(String aggregateType) {
        return AggregateType.GLOBAL.name().equals(aggregateType) ? "none" : aggregateType;
    }

    private static final class Single extends ForwardingListener {

        private final ObservationRegistry observations;

        private Single(EventListener listener, ObservationRegistry observations) {
            super(listener);
            this.observations = observations;
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
            Observation observation = start(event, observations);
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

        private final ObservationRegistry observations;

        private Batching(BatchEventListener listener, ObservationRegistry observations) {
            super(listener);
            this.observations = observations;
        }

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            List<Observation> started =
                    events.stream().map(event -> start(event, observations)).toList();
            Observation.Scope scope = started.get(0).openScope();
            try {
                List<BatchOutcome> outcomes = super.onEvents(events, infos, silence);
                markFailures(started, outcomes);
                return outcomes;
            } catch (Throwable e) {
                started.forEach(observation -> observation.error(e));
                throw e;
            } finally {
                scope.close();
                started.forEach(Observation::stop);
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
