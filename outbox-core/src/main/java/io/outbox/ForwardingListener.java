package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A listener that leaves everything to another: the base of listeners that wrap one. Override {@link
 * #onEvent(EventEnvelope, DeliveryInfo)} and call it on {@code super}; the {@link DeliveryInfo}, the retry policy and
 * the fallback reach the engine and the wrapped listener without further code.
 *
 * <p>For a {@link BatchEventListener} there is {@link ForwardingBatchListener}; a batch listener that is wrapped in a
 * listener for single events gets its events one by one.
 */
public abstract class ForwardingListener implements EventListener.Informed {

    private final EventListener listener;

    protected ForwardingListener(EventListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) throws Exception {
        return Informed.call(listener, event, info);
    }

    @Override
    public @Nullable RetryPolicy retryPolicy() {
        return listener.retryPolicy();
    }

    @Override
    public @Nullable EventFallback fallback() {
        return listener.fallback();
    }
}
