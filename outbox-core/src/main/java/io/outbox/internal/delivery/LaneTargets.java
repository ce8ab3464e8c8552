package io.outbox.internal.delivery;

import io.outbox.InvalidTargetException;
import io.outbox.RouteUnavailableException;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.polling.Alarm;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Outcome;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What deliveries learn about the targets of a lane's events, and what goes back to the store undelivered.
 *
 * <p>When a listener says that its target is unavailable, the {@linkplain RouteCircuits circuit} of the event type
 * opens: its events go back to the store, uncounted, and delivery waits for a probe to get through. In strict order the
 * circuit is that of the whole lane, where no event may overtake the one that waits. Whatever goes back may have been a
 * probe, which then has told nothing.
 *
 * <p>A target that only some events of a type name, and that cannot be used, opens no circuit: it is {@linkplain
 * InvalidTargets shown}.
 */
final class LaneTargets {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final Predicate<HeldEvent> EVERY = event -> true;

    private final EventTypes types;
    private final boolean strictOrder;
    private final DispatchQueue queue;
    private final RouteCircuits circuits;
    private final EngineClock clock;
    private final InvalidTargets invalid;
    private final CompletionWriter completion;
    private final EngineMetrics metrics;
    private final Alarm alarm;

    LaneTargets(
            EventTypes types, boolean strictOrder, DispatchQueue queue, RouteCircuits circuits, LaneContext context) {
        this.types = types;
        this.strictOrder = strictOrder;
        this.queue = queue;
        this.circuits = circuits;
        this.clock = context.routing().clock();
        this.invalid = new InvalidTargets(clock);
        this.completion = context.completion();
        this.metrics = context.metrics();
        this.alarm = context.alarm();
    }

    /** Gives back events that were taken from the queue and not delivered. */
    void giveBack(List<HeldEvent> events) {
        events.forEach(event -> completion.giveBack(event.hold()));
        if (circuits.isAnyOpen()) {
            events.forEach(event -> probeLost(event.eventType()));
        }
        alarm.dueNow(types);
    }

    /** Does something and gives back all that is queued, with nothing queued in between; returns how many events. */
    int giveBackQueued(Runnable firstOfAll) {
        List<HeldEvent> left = queue.remove(EVERY, firstOfAll);
        if (!left.isEmpty()) {
            giveBack(left);
        }
        return left.size();
    }

    /**
     * Notes that the target of an event type cannot be reached, and gives back what is queued for it.
     *
     * @param events those that were meant for it, given back too
     */
    void unavailable(String eventType, List<HeldEvent> events, RouteUnavailableException cause) {
        String reason = Reasons.of(cause);
        RouteCircuits.News news;
        try {
            news = open(eventType, events, reason);
        } finally {
            allowProbes(eventType, cause.pause());
        }
        tell(eventType, news, reason);
    }

    /**
     * Notes that the target of an event type does not answer, and gives back what is queued for it. The listener that
     * says so keeps its events, and they are the probe: no other passes, and binds another worker, until it has ended.
     *
     * @return tells the log and the application's metrics, for the caller to run when it holds no lock
     */
    Runnable silent(String eventType, RouteUnavailableException cause) {
        String reason = Reasons.of(cause);
        RouteCircuits.News news = open(eventType, List.of(), reason);
        return () -> tell(eventType, news, reason);
    }

    /** Notes that a listener that had heard nothing has ended, without telling anything about the target. */
    void silenceEnded(String eventType) {
        if (circuits.isOpen(eventType)) {
            allowProbes(eventType, null);
        }
    }

    private RouteCircuits.News open(String eventType, List<HeldEvent> events, String reason) {
        Predicate<HeldEvent> sameTarget =
                strictOrder ? EVERY : event -> event.eventType().equals(eventType);
        Instant since = clock.now(); // it may ask the store, for which nobody is to wait under the queue's lock
        RouteCircuits.News[] news = new RouteCircuits.News[1];
        List<HeldEvent> behind = queue.remove(sameTarget, () -> news[0] = circuits.trip(eventType, since, reason));
        events.forEach(event -> completion.giveBack(event.hold()));
        behind.forEach(event -> completion.giveBack(event.hold()));
        alarm.dueNow(types);
        return news[0];
    }

    private void allowProbes(String eventType, Duration pause) {
        circuits.allowProbes(eventType, pause);
        alarm.dueIn(probed(eventType), circuits.millisToProbe(eventType));
    }

    private void tell(String eventType, RouteCircuits.News news, String reason) {
        String name = name(eventType);
        if (news == RouteCircuits.News.UNAVAILABLE) {
            LOG.log(
                    Level.WARNING,
                    "The target of {0} is unavailable ({1}); its events wait in the store",
                    name,
                    reason);
            metrics.recordRouteUnavailable(name, true);
            if (!circuits.isOpen(eventType)) { // it has answered meanwhile, and that was told before this
                metrics.recordRouteUnavailable(name, false);
            }
        } else if (news == RouteCircuits.News.OTHER_CAUSE) {
            LOG.log(
                    Level.WARNING,
                    "The target of {0} is still unavailable, for another reason now ({1})",
                    name,
                    reason);
        }
    }

    /** Notes that the target of an event type answered. */
    void answered(String eventType) {
        Duration outage = circuits.reset(eventType);
        if (outage != null) {
            LOG.log(
                    Level.INFO,
                    "The target of {0} is back after {1}; delivery resumes",
                    name(eventType),
                    DurationText.about(outage));
            metrics.recordRouteUnavailable(name(eventType), false);
            alarm.dueNow(types);
        }
    }

    /** Notes how an event ended, as far as that tells of a target that only some events of its type name. */
    void ended(HeldEvent event, Outcome outcome, Throwable error) {
        if (error instanceof InvalidTargetException reason) {
            invalid.failed(event.eventType(), outcome, reason);
        } else if (outcome instanceof Outcome.Done) {
            invalid.delivered(event.eventId());
        }
    }

    /** Returns what does not answer or cannot be used; of an event type with both, the latter first. */
    List<UnavailableTarget> unavailable() {
        List<UnavailableTarget> shown = new ArrayList<>(invalid.unavailable());
        shown.addAll(circuits.unavailable());
        return shown;
    }

    /** Notes that an attempt told nothing about the target of its event. */
    void probeLost(String eventType) {
        if (circuits.isOpen(eventType)) {
            circuits.probeLost(eventType);
            alarm.dueIn(probed(eventType), circuits.millisToProbe(eventType));
        }
    }

    private EventTypes probed(String eventType) {
        return strictOrder ? types : EventTypes.only(eventType);
    }

    private String name(String eventType) {
        return strictOrder ? laneName() : eventType;
    }

    /** Returns what the lane is called in the log. */
    String laneName() {
        return types.excluded() ? "all event types" : types.names().get(0);
    }
}
