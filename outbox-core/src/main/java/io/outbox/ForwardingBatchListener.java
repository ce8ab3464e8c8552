package io.outbox;

import io.outbox.dispatch.RetryPolicy;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A batch listener that leaves everything to another: the base of listeners that wrap one. Override {@link
 * #onEvents(List, List, Consumer)} and call it on {@code super}; infos, reports of silence, batch size, retry policy
 * and fallback reach the engine and the wrapped listener without further code.
 *
 * <p>Such a wrapper sees a batch from its beginning to its end, so that it waits for each before the next. One that is
 * to {@linkplain BatchEventListener.Pipelined send the next batch meanwhile} overrides {@link #begin} instead, and
 * calls {@link #forward}.
 */
public abstract class ForwardingBatchListener implements BatchEventListener.Pipelined {

    private final BatchEventListener listener;

    protected ForwardingBatchListener(BatchEventListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
    }

    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        return Waiting.call(listener, events, infos, silence);
    }

    @Override
    public Pending begin(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        return Pending.of(onEvents(events, infos, silence));
    }

    /** Begins with the wrapped listener. */
    protected final Pending forward(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws Exception {
        return Pipelined.call(listener, events, infos, silence);
    }

    @Override
    public int maxBatchSize() {
        return listener.maxBatchSize();
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
