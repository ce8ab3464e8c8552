package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.dispatch.RetryPolicy;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventListenerTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("T", "{}");
    private static final DeliveryInfo THIRD = new DeliveryInfo(3, "late", EVENT.occurredAt());
    private static final RetryPolicy POLICY = RetryPolicy.fixed(Duration.ofSeconds(1));

    private final List<DeliveryInfo> seen = new ArrayList<>();

    private EventListener informed() {
        return EventListener.informed((event, info) -> {
            seen.add(info);
            return DispatchResult.done();
        });
    }

    private BatchEventListener informedOfBatches() {
        return BatchEventListener.informed((events, infos) -> {
            seen.addAll(infos);
            return Collections.nCopies(events.size(), BatchOutcome.done());
        });
    }

    @Test
    void aPlainListenerNeedNotKnowAboutTheDelivery() throws Exception {
        EventListener plain = event -> DispatchResult.dead(event.eventType());

        assertThat(EventListener.Informed.call(plain, EVENT, THIRD)).isEqualTo(DispatchResult.dead("T"));
        assertThat(plain.retryPolicy()).isNull();
    }

    @Test
    void anInformedListenerIsToldAboutTheDelivery() throws Exception {
        EventListener.Informed.call(informed(), EVENT, THIRD);
        informed().onEvent(EVENT);

        assertThat(seen).containsExactly(THIRD, DeliveryInfo.first(EVENT));
    }

    @Test
    void anInformedBatchListenerIsToldAboutEachDelivery() throws Exception {
        BatchEventListener.Informed.call(
                informedOfBatches(), List.of(EVENT, EVENT), List.of(THIRD, DeliveryInfo.first(EVENT)));
        informedOfBatches().onEvents(List.of(EVENT));

        assertThat(seen).containsExactly(THIRD, DeliveryInfo.first(EVENT), DeliveryInfo.first(EVENT));
    }

    @Test
    void aBatchListenerTakesASingleEventAsABatchOfOne() throws Exception {
        BatchEventListener failing = events -> List.of(BatchOutcome.failed(new IOException("no")));
        BatchEventListener silent = events -> List.of();

        assertThat(informedOfBatches().onEvent(EVENT)).isEqualTo(DispatchResult.done());
        assertThatThrownBy(() -> failing.onEvent(EVENT)).hasMessage("no");
        assertThatThrownBy(() -> silent.onEvent(EVENT)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aRetryingListenerDoesWhatItsListenerDoes() throws Exception {
        EventListener retrying = EventListener.retrying(POLICY, informed());

        assertThat(EventListener.Informed.call(retrying, EVENT, THIRD)).isEqualTo(DispatchResult.done());
        retrying.onEvent(EVENT);

        assertThat(seen).containsExactly(THIRD, DeliveryInfo.first(EVENT));
        assertThat(retrying.retryPolicy()).isSameAs(POLICY);
        assertThat(retrying).isNotInstanceOf(BatchEventListener.class);
    }

    @Test
    void aRetryingBatchListenerStaysABatchListener() throws Exception {
        BatchEventListener small = new BatchEventListener.Informed() {
            @Override
            public List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) throws Exception {
                return BatchEventListener.Informed.call(informedOfBatches(), events, infos);
            }

            @Override
            public int maxBatchSize() {
                return 7;
            }
        };

        EventListener retrying = EventListener.retrying(POLICY, small);

        assertThat(retrying.retryPolicy()).isSameAs(POLICY);
        assertThat(retrying).isInstanceOf(BatchEventListener.class);
        BatchEventListener batching = (BatchEventListener) retrying;
        assertThat(batching.maxBatchSize()).isEqualTo(7);
        BatchEventListener.Informed.call(batching, List.of(EVENT), List.of(THIRD));
        batching.onEvents(List.of(EVENT));
        assertThat(seen).containsExactly(THIRD, DeliveryInfo.first(EVENT));
    }

    @Test
    void aListenerWithItsOwnPoliciesSendsTheNextBatchMeanwhileAsItsListenerDoes() throws Exception {
        BatchEventListener.Pending underWay = BatchEventListener.Pending.of(List.of(BatchOutcome.done()));
        BatchEventListener.Pipelined sender = (events, infos, silence) -> underWay;

        for (EventListener wrapped : List.of(
                EventListener.retrying(POLICY, sender),
                EventListener.withFallback((event, info, cause) -> {}, sender))) {
            assertThat(BatchEventListener.Pipelined.call(
                            (BatchEventListener) wrapped, List.of(EVENT), List.of(THIRD), reason -> {}))
                    .isSameAs(underWay);
        }
    }

    @Test
    void aBatchListenerThatWaitsIsHeardAlsoThroughARetryingOne() throws Exception {
        RouteUnavailableException reason = new RouteUnavailableException("nothing heard");
        BatchEventListener.Waiting waiting = (events, infos, silence) -> {
            seen.addAll(infos);
            silence.accept(reason);
            return List.of(BatchOutcome.done());
        };
        List<RouteUnavailableException> heard = new ArrayList<>();
        BatchEventListener retrying = (BatchEventListener) EventListener.retrying(POLICY, waiting);

        BatchEventListener.Waiting.call(waiting, List.of(EVENT), List.of(THIRD), heard::add);
        BatchEventListener.Waiting.call(retrying, List.of(EVENT), List.of(THIRD), heard::add);
        BatchEventListener.Waiting.call(informedOfBatches(), List.of(EVENT), List.of(THIRD), heard::add);
        waiting.onEvent(EVENT);

        assertThat(heard).containsExactly(reason, reason);
        assertThat(seen).containsExactly(THIRD, THIRD, THIRD, DeliveryInfo.first(EVENT));
    }

    @Test
    void nothingMayBeNull() {
        assertThatNullPointerException()
                .isThrownBy(() -> EventListener.retrying(null, informed()))
                .withMessage("retryPolicy");
        assertThatNullPointerException()
                .isThrownBy(() -> EventListener.retrying(POLICY, null))
                .withMessage("listener");
        assertThatNullPointerException().isThrownBy(() -> EventListener.informed(null));
        assertThatNullPointerException().isThrownBy(() -> BatchEventListener.informed(null));
    }

    @Test
    void anAttemptIsCountedFromOne() {
        assertThat(DeliveryInfo.first(EVENT).isRetry()).isFalse();
        assertThat(DeliveryInfo.first(EVENT).attempt()).isOne();
        assertThat(THIRD.isRetry()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeliveryInfo(0, null, Instant.now()))
                .withMessage("attempt must be at least 1: 0");
        assertThatNullPointerException().isThrownBy(() -> new DeliveryInfo(1, null, null));
    }

    @Test
    void anErrorIsKeptOutOfLogs() {
        assertThat(new DeliveryInfo(2, "secret", EVENT.occurredAt()).toString()).doesNotContain("secret");
        assertThat(new CompletionListener.DeadEvent("id", "T", EVENT, "secret", new IOException("secret")).toString())
                .doesNotContain("secret");
    }
}
