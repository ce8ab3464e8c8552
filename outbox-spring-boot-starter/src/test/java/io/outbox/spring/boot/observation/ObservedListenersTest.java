package io.outbox.spring.boot.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.RetryPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An observed listener knows and decides what it would without observation. */
class ObservedListenersTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("T", "{}");
    private static final DeliveryInfo THIRD = new DeliveryInfo(3, "late", EVENT.occurredAt());
    private static final RetryPolicy POLICY = RetryPolicy.fixed(Duration.ofSeconds(1));

    private final List<DeliveryInfo> seen = new ArrayList<>();

    private static EventListener observed(EventListener listener) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(context -> true);
        EventListener observed = ObservedListeners.of(
                        (aggregateType, eventType) -> listener, new ObservedListeners.Observing(observations, null))
                .listenerFor("A", "T");
        assertThat(observed).isNotSameAs(listener);
        return observed;
    }

    @Test
    void aListenerKeepsItsRetryPolicyAndKnowsAboutTheDelivery() throws Exception {
        EventListener listener = observed(EventListener.retrying(POLICY, EventListener.informed((event, info) -> {
            seen.add(info);
            return DispatchResult.done();
        })));

        assertThat(EventListener.Informed.call(listener, EVENT, THIRD)).isEqualTo(DispatchResult.done());

        assertThat(seen).containsExactly(THIRD);
        assertThat(listener.retryPolicy()).isSameAs(POLICY);
    }

    @Test
    void aBatchListenerKeepsItsRetryPolicyAndKnowsAboutTheDeliveries() throws Exception {
        EventListener listener =
                observed(EventListener.retrying(POLICY, BatchEventListener.informed((events, infos) -> {
                    seen.addAll(infos);
                    return List.of(BatchOutcome.done());
                })));

        assertThat(BatchEventListener.Informed.call((BatchEventListener) listener, List.of(EVENT), List.of(THIRD)))
                .containsExactly(BatchOutcome.done());

        assertThat(seen).containsExactly(THIRD);
        assertThat(listener.retryPolicy()).isSameAs(POLICY);
    }

    @Test
    void aBatchListenerThatWaitsIsHeard() throws Exception {
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            silence.accept(new RouteUnavailableException("nothing heard"));
            return List.of(BatchOutcome.done());
        };
        List<RouteUnavailableException> heard = new ArrayList<>();

        BatchEventListener.Waiting.call(
                (BatchEventListener) observed(waiting), List.of(EVENT), List.of(THIRD), heard::add);

        assertThat(heard).hasSize(1);
    }
}
