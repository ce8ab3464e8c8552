package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** A listener with its own retry policy. */
final class RetryingListener extends ForwardingListener {

    private final RetryPolicy retryPolicy;

    private RetryingListener(RetryPolicy retryPolicy, EventListener listener) {
        super(listener);
        this.retryPolicy = retryPolicy;
    }

    static EventListener of(RetryPolicy retryPolicy, EventListener listener) {
        Objects.requireNonNull(retryPolicy, "retryPolicy");
        return listener instanceof BatchEventListener batching
                ? new Batching(retryPolicy, batching)
                : new RetryingListener(retryPolicy, listener);
    }

    @Override
    public RetryPolicy retryPolicy() {
        return retryPolicy;
    }

    /** A batch listener with its own retry policy. */
    private static final class Batching extends ForwardingBatchListener {

        private final RetryPolicy retryPolicy;

        private Batching(RetryPolicy retryPolicy, BatchEventListener listener) {
            super(listener);
            this.retryPolicy = retryPolicy;
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return forward(events, infos, silence);
        }

        @Override
        public RetryPolicy retryPolicy() {
            return retryPolicy;
        }
    }
}
