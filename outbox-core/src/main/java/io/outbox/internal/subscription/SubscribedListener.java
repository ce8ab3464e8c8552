package io.outbox.internal.subscription;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.EventListener;
import io.outbox.ForwardingBatchListener;
import io.outbox.ForwardingListener;
import io.outbox.RouteUnavailableException;
import io.outbox.Subscription;
import java.util.List;
import java.util.function.Consumer;

/** A listener that is shown events in place of the rows that stand for them. */
final class SubscribedListener extends ForwardingListener {

    private SubscribedListener(EventListener listener) {
        super(listener);
    }

    static EventListener of(EventListener listener) {
        return listener instanceof BatchEventListener batching
                ? new Batching(batching)
                : new SubscribedListener(listener);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope row, DeliveryInfo info) throws Exception {
        return super.onEvent(Subscription.eventOf(row), info);
    }

    @Override
    public EventFallback fallback() {
        return asWritten(super.fallback());
    }

    private static EventFallback asWritten(EventFallback fallback) {
        return fallback == null
                ? null
                : (row, info, cause) -> fallback.onLastFailure(Subscription.eventOf(row), info, cause);
    }

    /** The same for batches. */
    private static final class Batching extends ForwardingBatchListener {

        private Batching(BatchEventListener listener) {
            super(listener);
        }

        @Override
        public Pending begin(
                List<EventEnvelope> rows, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return forward(rows.stream().map(Subscription::eventOf).toList(), infos, silence);
        }

        @Override
        public List<BatchOutcome> onEvents(
                List<EventEnvelope> rows, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return begin(rows, infos, silence).outcomes();
        }

        @Override
        public EventFallback fallback() {
            return asWritten(super.fallback());
        }
    }
}
