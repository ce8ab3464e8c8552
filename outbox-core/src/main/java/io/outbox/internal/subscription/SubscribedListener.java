package io.outbox.internal.subscription;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.RouteUnavailableException;
import io.outbox.dispatch.RetryPolicy;
import java.util.List;
import java.util.function.Consumer;

/** A listener that is shown events in place of the rows that stand for them. */
record SubscribedListener(EventListener listener) implements EventListener.Informed {

    static EventListener of(EventListener listener) {
        return listener instanceof BatchEventListener batching
                ? new Batching(batching)
                : new SubscribedListener(listener);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope row, DeliveryInfo info) throws Exception {
        return Informed.call(listener, EventRow.asWritten(row), info);
    }

    @Override
    public RetryPolicy retryPolicy() {
        return listener.retryPolicy();
    }

    /** The same for batches. */
    private record Batching(BatchEventListener listener) implements BatchEventListener.Waiting {

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> rows, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            List<EventEnvelope> events = rows.stream().map(EventRow::asWritten).toList();
            return BatchEventListener.Waiting.call(listener, events, infos, silence);
        }

        @Override
        public int maxBatchSize() {
            return listener.maxBatchSize();
        }

        @Override
        public RetryPolicy retryPolicy() {
            return listener.retryPolicy();
        }
    }
}
