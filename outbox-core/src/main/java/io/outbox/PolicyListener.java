package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A listener that has its own retry policy or fallback in place of that of the listener it wraps. */
final class PolicyListener extends ForwardingListener {

    private final @Nullable RetryPolicy retryPolicy;
    private final @Nullable EventFallback fallback;

    private PolicyListener(
            EventListener listener, @Nullable RetryPolicy retryPolicy, @Nullable EventFallback fallback) {
        super(listener);
        this.retryPolicy = retryPolicy;
        this.fallback = fallback;
    }

    /** @param retryPolicy or {@code null} for that of the listener, as is the fallback */
    static EventListener of(
            EventListener listener, @Nullable RetryPolicy retryPolicy, @Nullable EventFallback fallback) {
        return listener instanceof BatchEventListener batching
                ? new Batching(batching, retryPolicy, fallback)
                : new PolicyListener(listener, retryPolicy, fallback);
    }

    @Override
    public @Nullable RetryPolicy retryPolicy() {
        return retryPolicy != null ? retryPolicy : super.retryPolicy();
    }

    @Override
    public @Nullable EventFallback fallback() {
        return fallback != null ? fallback : super.fallback();
    }

    /** The same for batches, of which the next can be sent meanwhile if the wrapped listener can do that. */
    private static final class Batching extends ForwardingBatchListener {

        private final @Nullable RetryPolicy retryPolicy;
        private final @Nullable EventFallback fallback;

        private Batching(
                BatchEventListener listener, @Nullable RetryPolicy retryPolicy, @Nullable EventFallback fallback) {
            super(listener);
            this.retryPolicy = retryPolicy;
            this.fallback = fallback;
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
                throws Exception {
            return forward(events, infos, silence);
        }

        @Override
        public @Nullable RetryPolicy retryPolicy() {
            return retryPolicy != null ? retryPolicy : super.retryPolicy();
        }

        @Override
        public @Nullable EventFallback fallback() {
            return fallback != null ? fallback : super.fallback();
        }
    }
}
