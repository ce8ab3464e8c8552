package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A listener with a retry policy of its own. */
record RetryingListener(RetryPolicy retryPolicy, EventListener listener) implements EventListener.Informed {

    static EventListener of(RetryPolicy retryPolicy, EventListener listener) {
        Objects.requireNonNull(retryPolicy, "retryPolicy");
        Objects.requireNonNull(listener, "listener");
        return listener instanceof BatchEventListener batching
                ? new Batching(retryPolicy, batching)
                : new RetryingListener(retryPolicy, listener);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
        return Informed.call(listener, event, info);
    }

    /** A batch listener with a retry policy of its own. */
    private record Batching(RetryPolicy retryPolicy, BatchEventListener listener)
            implements BatchEventListener.Waiting {

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return BatchEventListener.Waiting.call(listener, events, infos, silence);
        }

        @Override
        public int maxBatchSize() {
            return listener.maxBatchSize();
        }
    }
}
