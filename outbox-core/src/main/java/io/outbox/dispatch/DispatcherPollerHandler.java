package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.poller.OutboxPollerHandler;
import io.outbox.poller.PollerFeed;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

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
    public List<PollerFeed> feeds() {
        return dispatcher.feeds();
    }

    @Override
    public int heldEvents() {
        return dispatcher.heldEvents();
    }

    @Override
    public void pollStarted() {
        dispatcher.scanStarted();
    }

    @Override
    public void pollFinished() {
        dispatcher.scanEnded();
    }

    @Override
    public void claimingUnder(Lease lease) {
        dispatcher.holdUnder(lease);
    }

    @Override
    public void onDue(BiConsumer<EventTypes, Instant> wakeUp) {
        dispatcher.onDue(wakeUp);
    }
}
