package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.dispatch.UnroutableEventException;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.polling.PollSettings;
import io.outbox.internal.subscription.EventRow;
import io.outbox.internal.subscription.Route;
import io.outbox.internal.versions.Versions;
import io.outbox.model.UnavailableTarget;
import io.outbox.registry.ListenerRegistry;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Who listens to an event on this node, and what becomes of events that nobody here listens to.
 *
 * <p>A node that is alone judges them: they are dead. One of several does not, since the others may know more, for
 * instance while a deployment that adds an event type is under way. It leaves such events to the others, uncounted, and
 * judges only those that have been due for a grace and that nobody has taken:
 *
 * <ul>
 *   <li>An event type without any listener here is not read, so that its events stay where they are. Only those whose grace
 *       is over are looked for. Their due time is the one in the row, so nothing is lost with this process.
 *   <li>A type that has listeners here for other aggregate types must be read. It is read late, so that others come first,
 *       and what nobody here listens to is put off, for longer the older it is. That moves the due time, so here the grace
 *       begins when the event was written to be due, and what some node has tried already is not judged at all.
 * </ul>
 *
 * An event that this node cannot read is put off in the same way, since a newer node may: an enum constant is new
 * there, for example. Until none was met for a minute, its type is read late, or this node, which knows best when the
 * event is due again, would take it from the others each time.
 *
 * <p>What was missing is forgotten when it has a listener, and when it was not met for a while. Thread-safe.
 */
final class Routing {

    static final String NO_LISTENER = "no listener on this node";

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** How many routes are known to be missing at a time, so that no query names too many types. */
    private static final int MOST = 100;

    /** The time in which others find an event with their next poll. */
    private static final Duration HEAD_START = Duration.ofMillis(PollSettings.DEFAULT_INTERVAL_MS);

    private static final Duration SHORTEST_MEMORY = Duration.ofMinutes(1);
    /** For how long a type is read late after an event of it could not be read. */
    private static final long UNREAD_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final ListenerRegistry registry;
    private final Versions versions;
    private final Leases leases;
    private final EngineClock clock;
    private final Duration grace;
    private final long memoryNanos;
    private final Map<Route, Missing> missing = new ConcurrentHashMap<>();
    /** When an event of a route was last met that cannot be read. */
    private final Map<Route, Long> unread = new ConcurrentHashMap<>();

    /** @param grace how long events are left to other nodes; zero for not at all */
    Routing(ListenerRegistry registry, Versions versions, Leases leases, EngineClock clock, Duration grace) {
        this.registry = registry;
        this.versions = versions;
        this.leases = leases;
        this.clock = clock;
        this.grace = grace;
        Duration memory = grace.compareTo(SHORTEST_MEMORY) < 0 ? SHORTEST_MEMORY : grace;
        this.memoryNanos = TimeUnit.SECONDS.toNanos(memory.toSeconds());
    }

    /** A route without a listener here. */
    private record Missing(Instant since, long metAtNanos) {}

    EngineClock clock() {
        return clock;
    }

    /**
     * Looks for the listener of the event's route. A failure is left to the delivery, where it counts as an attempt.
     */
    Recipient recipientOf(EventEnvelope event) {
        try {
            return new Recipient(registry.listenerFor(event.aggregateType(), event.eventType()), null);
        } catch (Throwable e) {
            return new Recipient(null, e);
        }
    }

    /**
     * Returns the event with its payload in the version that listeners here take.
     *
     * @throws PayloadParseException if there is no way to it
     */
    EventEnvelope upToDate(EventEnvelope event) {
        return versions.upToDate(event, registry::currentType);
    }

    /** Returns why an event that has no listener is dead. */
    UnroutableEventException unroutable(EventEnvelope event) {
        if (EventRow.isOne(event)) {
            return new UnroutableEventException(EventRow.whyUnroutable(event));
        }
        String elsewhere = leavesToOthers()
                ? " on this node, and no other node took the event within " + DurationText.of(grace)
                : "";
        return new UnroutableEventException(
                "No listener for " + Route.of(event) + elsewhere + ": register one, then replay the event");
    }

    private boolean leavesToOthers() {
        return !grace.isZero() && leases.areKept();
    }

    /** Returns whether nobody here listens to the event, and others may. */
    boolean isForOthers(EventEnvelope event) {
        return leavesToOthers() && recipientOf(event).isMissing();
    }

    /** Returns whether events for this recipient are for others, since there is none here. */
    boolean leavesToOthers(Recipient recipient) {
        return leavesToOthers() && recipient.isMissing();
    }

    /**
     * Names the types that wait in the store and that nobody here listens to, before their events are dead. A class
     * that was renamed is the usual reason. Among several nodes that is no news: their events are left to the others.
     */
    void waitingAtStart(Collection<String> eventTypes) {
        List<String> unheard =
                eventTypes.stream().filter(type -> !mayBeHeard(type)).sorted().toList();
        if (!unheard.isEmpty() && !leavesToOthers()) {
            LOG.log(
                    Level.WARNING,
                    "Events of types {0} are waiting, and this node has no listener for them: they go DEAD. If a type"
                            + " was renamed, make its former name an alias of the new one; otherwise register a"
                            + " listener. Then replay the DEAD events",
                    unheard);
        }
    }

    /** Notes that an event was met that nobody here listens to. */
    void met(EventEnvelope event) {
        Route route = Route.of(event);
        boolean[] first = new boolean[1];
        missing.compute(route, (key, known) -> {
            first[0] = known == null && missing.size() < MOST;
            if (known == null && !first[0]) {
                return null;
            }
            return new Missing(known == null ? clock.now() : known.since, System.nanoTime());
        });
        if (first[0]) {
            LOG.log(
                    Level.WARNING,
                    "No listener for {0} on this node: its events are left to other nodes, and go DEAD if none has taken"
                            + " them after {1}",
                    route,
                    DurationText.of(grace));
        }
    }

    /**
     * Returns until when an event is put off that this node cannot read, or empty if it is judged: because no other
     * node would read it, or none has for the grace.
     */
    Optional<Instant> unread(HeldEvent event) {
        if (!leavesToOthers() || !clock.now().isBefore(writtenDue(event).plus(grace))) {
            return Optional.empty();
        }
        Route route = Route.of(event.envelope());
        if (unread.size() < MOST && unread.put(route, System.nanoTime()) == null) {
            LOG.log(
                    Level.WARNING,
                    "Event {0} of {1} has a payload that this node cannot read: such events are left to other nodes, and go"
                            + " DEAD if none has read them after {2}",
                    event.eventId(),
                    route,
                    DurationText.of(grace));
        }
        return Optional.of(putOffUntil(event));
    }

    /** Returns why an event is dead that could not be read, with what to do in the first line. */
    String unreadable(String reason) {
        if (!leavesToOthers()) {
            return reason;
        }
        int end = reason.indexOf('\n') < 0 ? reason.length() : reason.indexOf('\n');
        return reason.substring(0, end) + "; no node has read it within " + DurationText.of(grace)
                + ": fix the payload or deploy code that reads it, then replay the event" + reason.substring(end);
    }

    /** Returns for how long events of this type have to be due before this node reads them. */
    Duration leastWait(String eventType) {
        return gaps().getOrDefault(eventType, Duration.ZERO);
    }

    /** Returns whether events of this type are not read until their grace is over. */
    boolean leavesAlone(String eventType) {
        return leastWait(eventType).equals(grace);
    }

    /**
     * Returns the event types that lack a listener, each with how long its events have to be due before they are read.
     */
    Map<String, Duration> gaps() {
        if (missing.isEmpty() && unread.isEmpty()) {
            return Map.of();
        }
        forget();
        Map<String, Duration> waits = new TreeMap<>();
        for (Route route : missing.keySet()) {
            waits.computeIfAbsent(route.eventType(), type -> mayBeHeard(type) ? headStart() : grace);
        }
        unread.keySet().forEach(route -> waits.putIfAbsent(route.eventType(), headStart()));
        return waits;
    }

    private Duration headStart() {
        return HEAD_START.compareTo(grace) < 0 ? HEAD_START : grace;
    }

    /** Returns what nobody here listens to, one entry per event type. */
    List<UnavailableTarget> unavailable() {
        forget();
        return missing.entrySet().stream()
                .map(entry -> new UnavailableTarget(
                        entry.getKey().eventType(), entry.getValue().since, NO_LISTENER + " for " + entry.getKey()))
                .toList();
    }

    private boolean mayBeHeard(String eventType) {
        try {
            return registry.hasListenerFor(eventType);
        } catch (Throwable e) {
            return true; // so its events are read, and what is wrong comes up with them
        }
    }

    private boolean isHeard(Route route) {
        try {
            return registry.listenerFor(route.aggregateType(), route.eventType()) != null;
        } catch (Throwable e) {
            return true; // as above
        }
    }

    private void forget() {
        long now = System.nanoTime();
        unread.values().removeIf(metAt -> now - metAt > UNREAD_NANOS);
        missing.forEach((route, known) -> {
            boolean heard = isHeard(route);
            if ((heard || now - known.metAtNanos > memoryNanos) && missing.remove(route, known) && heard) {
                LOG.log(
                        Level.INFO,
                        "There is a listener for {0} now; its events are no longer left to other nodes",
                        route);
            }
        });
    }

    /**
     * Returns whether nobody has taken the event for the grace.
     *
     * @param putOff whether its due time in the store is one to which it was put off
     */
    boolean isOverdue(HeldEvent event, boolean putOff) {
        if (event.queued().source() == Source.HOT || (putOff && event.queued().attempts() > 0)) {
            return false;
        }
        boolean told = !putOff && event.dueSince() != null;
        return !clock.now().isBefore((told ? event.dueSince() : writtenDue(event)).plus(grace));
    }

    /** Returns until when an event is put off that others may take then. */
    Instant putOffUntil(HeldEvent event) {
        Instant now = clock.now();
        Duration half = Duration.between(writtenDue(event), now).dividedBy(2);
        Duration wait = half.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : half;
        return now.plus(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
    }

    private static Instant writtenDue(HeldEvent event) {
        EventEnvelope envelope = event.envelope();
        return envelope.isDelayed() ? envelope.availableAt() : envelope.occurredAt();
    }
}
