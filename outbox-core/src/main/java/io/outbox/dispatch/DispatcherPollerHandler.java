package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.polling.PollTarget;
import io.outbox.poller.OutboxPollerHandler;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The cold path: hands polled events to the dispatcher's cold queue, or to those of its lanes. */
public final class DispatcherPollerHandler implements OutboxPollerHandler {

    private final OutboxDispatcher dispatcher;

    public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
    }

    @Override
    public boolean handle(EventEnvelope event, int attempts) {
        return dispatcher.enqueueCold(new QueuedEvent(event, QueuedEvent.Source.COLD, attempts));
    }

    @Override
    public int availableCapacity() {
        return dispatcher.coldQueueRemainingCapacity();
    }

    @Override
    public <T> @Nullable T unwrap(Class<T> type) {
        PollTarget target = dispatcher.engine().coldPath();
        return type.isInstance(target) ? type.cast(target) : OutboxPollerHandler.super.unwrap(type);
    }
}
