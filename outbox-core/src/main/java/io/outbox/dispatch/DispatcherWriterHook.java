package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.internal.writing.HotPath;
import io.outbox.spi.MetricsExporter;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The hot path: hands events to the dispatcher right after their transaction has committed.
 *
 * <p>A {@link io.outbox.DefaultOutboxWriter} that is given this hook reserves events with the dispatcher before it
 * inserts them, so that no poller takes them in between. Delayed events, and events that find the hot queue full, are
 * left to the poller.
 */
public final class DispatcherWriterHook implements WriterHook {

    private final OutboxDispatcher dispatcher;
    private final HotPath hotPath;

    /** Creates a hook that counts with the dispatcher's metrics. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher, dispatcher.metrics());
    }

    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.hotPath = dispatcher.engine().hotPath(Objects.requireNonNull(metrics, "metrics"));
    }

    /** Adds what the dispatcher's {@linkplain OutboxDispatcher.Builder#contextPropagator propagators} capture. */
    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        return dispatcher.engine().contextCapture().beforeWrite(events);
    }

    /**
     * Hands over events that were not reserved, because a writer of another kind called this hook. Among several nodes
     * such events are not locked, and so left to the poller.
     */
    @Override
    public void afterCommit(List<EventEnvelope> events) {
        hotPath.takeCommitted(events);
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        return type.isInstance(hotPath) ? type.cast(hotPath) : WriterHook.super.unwrap(type);
    }
}
