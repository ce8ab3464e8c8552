package io.outbox.internal.delivery;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.dispatch.StackTraces;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.delivery.EventProcessor.Listening;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.versions.Versions;
import io.outbox.spi.EventTypes;
import io.outbox.spi.MetricsExporter;
import io.outbox.support.Events;
import io.outbox.support.ScriptedBackend;
import io.outbox.util.DaemonThreadFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** A lane for all event types, of one worker unless said otherwise, with what it needs around it. */
final class LaneRig implements AutoCloseable {

    final ScriptedBackend backend = new ScriptedBackend();
    final Leases leases = new Leases();
    final OwnedEvents owned;
    final CompletionWriter completion;
    final LaneContext context;
    final Lane lane;
    private volatile EventListener listener = event -> DispatchResult.done();

    LaneRig(OwnedEvents owned, Alarm alarm, boolean strictOrder) {
        this(owned, alarm, new LaneSettings.Workers(1, null), strictOrder);
    }

    LaneRig(OwnedEvents owned, Alarm alarm, LaneSettings.Workers workers, boolean strictOrder) {
        this(owned, alarm, workers, strictOrder, new DaemonThreadFactory("outbox-worker-"));
    }

    LaneRig(OwnedEvents owned, Alarm alarm, LaneSettings.Workers workers, ThreadFactory threads) {
        this(owned, alarm, workers, false, threads);
    }

    private LaneRig(
            OwnedEvents owned, Alarm alarm, LaneSettings.Workers workers, boolean strictOrder, ThreadFactory threads) {
        EngineMetrics metrics = new EngineMetrics(MetricsExporter.NOOP);
        this.owned = owned;
        this.completion =
                new CompletionWriter(backend, owned, metrics, new CompletionWriter.Told(List.of(), null), alarm);
        EngineClock clock = EngineClock.of(Clock.systemUTC());
        Routing routing = new Routing(
                (aggregateType, eventType) -> listener, Versions.NONE, leases, clock, Duration.ofMinutes(10));
        this.context = new LaneContext(
                completion,
                leases,
                routing,
                metrics,
                alarm,
                threads,
                new HeapBudget(1 << 20),
                new DispatchQueue.Depths(),
                true);
        EventProcessor processor = new EventProcessor(
                new Listening(routing, List.of(), new Contexts(List.of())),
                new AttemptOutcomes(
                        routing,
                        new AttemptOutcomes.RetrySettings(new ExponentialBackoffRetryPolicy(1, 1), 1),
                        new FailureReport(StackTraces.NONE, null, clock),
                        clock,
                        true),
                metrics);
        LaneSettings settings =
                new LaneSettings(new LaneSettings.Queues(10, 10), workers, LaneSettings.Pace.DEFAULT, strictOrder);
        this.lane = new Lane(EventTypes.ALL, settings, processor, context);
    }

    void listen(EventListener newListener) {
        listener = newListener;
    }

    /** Returns an event that was read from the store, in this node's hands. */
    HeldEvent held(String eventId) {
        Hold hold = owned.acquire(eventId);
        return new HeldEvent(new QueuedEvent(Events.event(eventId), Source.COLD, 0), hold);
    }

    /** Offers an event, and gives it back if it is refused. */
    boolean offer(String eventId) {
        HeldEvent event = held(eventId);
        boolean taken = lane.offer(event);
        if (!taken) {
            completion.giveBack(event.hold());
        }
        return taken;
    }

    void start() {
        completion.start();
        lane.start();
    }

    @Override
    public void close() {
        lane.beginClose();
        lane.workers().force();
        lane.giveBackQueued();
        completion.close(Duration.ZERO);
        leases.close();
    }
}
