package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.spi.MetricsExporter;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The hot path: hands events to the dispatcher right after their transaction has committed.
 *
 * <p>Events are reserved before the commit, so that no poller takes them in between. Delayed events, and events that
 * find the hot queue full, are left to the poller.
 */
public final class DispatcherWriterHook implements WriterHook {

    private static final System.Logger LOG = System.getLogger(DispatcherWriterHook.class.getName());
    private static final long WARNING_PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final OutboxDispatcher dispatcher;
    private final MetricsExporter metrics;
    private final ThreadLocal<String> ownerOfBatch = new ThreadLocal<>();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong lastWarning = new AtomicLong(System.nanoTime() - WARNING_PERIOD_NANOS);

    /** Creates a hook that counts with the dispatcher's metrics. */
    public DispatcherWriterHook(OutboxDispatcher dispatcher) {
        this(dispatcher, dispatcher.metrics());
    }

    public DispatcherWriterHook(OutboxDispatcher dispatcher, MetricsExporter metrics) {
        this.dispatcher = Objects.requireNonNull(dispatcher, "dispatcher");
        this.metrics = Objects.requireNonNull(metrics, "metrics");
    }

    @Override
    public String ownerId(List<EventEnvelope> events) {
        String ownerId = dispatcher.ownerForNewEvents(events);
        ownerOfBatch.set(ownerId);
        return ownerId;
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        String ownerId = ownerOfBatch.get();
        ownerOfBatch.remove();
        if (dispatcher.holdsByLease() && ownerId == null) {
            return;
        }
        for (EventEnvelope event : events) {
            if (!event.isDelayed()) {
                dispatcher.reserve(event, ownerId);
            }
        }
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        for (EventEnvelope event : events) {
            if (event.isDelayed()) {
                metrics.incrementHotSkippedDelayed();
                dispatcher.announceDue(event.eventType(), event.availableAt());
            } else if (!dispatcher.enqueueCommitted(event)) {
                metrics.incrementHotDropped();
                warnOfDrop(event);
                dispatcher.announceDue(event.eventType(), Instant.MIN);
            }
        }
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        events.forEach(dispatcher::cancel);
    }

    private void warnOfDrop(EventEnvelope event) {
        long count = dropped.incrementAndGet();
        long last = lastWarning.get();
        long now = System.nanoTime();
        if (now - last >= WARNING_PERIOD_NANOS && lastWarning.compareAndSet(last, now)) {
            LOG.log(
                    Level.WARNING,
                    "Hot queue full or closed: event {0} is left to the poller ({1} so far)",
                    event.eventId(),
                    count);
        }
    }
}
