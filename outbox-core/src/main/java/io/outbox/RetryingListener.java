package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.Objects;

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
        public RetryPolicy retryPolicy() {
            return retryPolicy;
        }
    }
}
