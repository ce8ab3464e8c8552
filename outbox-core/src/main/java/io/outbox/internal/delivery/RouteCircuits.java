package io.outbox.internal.delivery;

import io.outbox.internal.polling.PollFeed;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * The circuits of a lane: one for all its events where they have one target or must not overtake each other, else one
 * per event type, and none where the store cannot leave a type out. Only open ones exist. An event type whose circuit
 * is open is read by a feed of its own, for probes alone, so that it costs the others nothing. Thread-safe.
 */
final class RouteCircuits {

    private static final String ALL = "";
    private static final int MOST_CAUSES = 10;
    private static final Pattern NUMBERS = Pattern.compile("[0-9]+");

    private final Scope scope;
    private final LaneRoom room;
    private final EngineClock clock;
    private final Map<String, OpenCircuit> open = new ConcurrentHashMap<>();

    private enum Scope {
        NONE,
        LANE,
        EVENT_TYPE
    }

    private RouteCircuits(Scope scope, LaneRoom room, EngineClock clock) {
        this.scope = scope;
        this.room = room;
        this.clock = clock;
    }

    /** No circuits, and none that opens: unavailable targets are the events' own trouble. */
    static RouteCircuits none() {
        return new RouteCircuits(Scope.NONE, null, null);
    }

    /** One circuit for all events of a lane. */
    static RouteCircuits ofLane(LaneRoom room, EngineClock clock) {
        return new RouteCircuits(Scope.LANE, room, clock);
    }

    /** One circuit for each event type of a lane. */
    static RouteCircuits perType(LaneRoom room, EngineClock clock) {
        return new RouteCircuits(Scope.EVENT_TYPE, room, clock);
    }

    private String key(String eventType) {
        return scope == Scope.EVENT_TYPE ? eventType : ALL;
    }

    /** Returns whether events whose target is unavailable can be left in the store until a probe gets through. */
    boolean canOpen() {
        return scope != Scope.NONE;
    }

    boolean isOpen(String eventType) {
        return !open.isEmpty() && open.containsKey(key(eventType));
    }

    boolean isAnyOpen() {
        return !open.isEmpty();
    }

    /** Admits an event, while the circuit is open only as a probe. */
    boolean admit(String eventType) {
        OpenCircuit circuit = open.isEmpty() ? null : open.get(key(eventType));
        return circuit == null || circuit.probes.admit();
    }

    /** Returns how many events of the lane's main feed may be read. */
    int admits(int capacity) {
        OpenCircuit all = open.isEmpty() ? null : open.get(ALL);
        return all == null ? capacity : all.probes.admits(capacity);
    }

    /** What it means that a target cannot be reached. */
    enum News {
        /** It could be reached until now. */
        UNAVAILABLE,
        /** It is for another reason than those known. */
        OTHER_CAUSE,
        NONE
    }

    /** Notes that a target cannot be reached since that time; until probes are allowed, nothing passes. */
    News trip(String eventType, Instant since, String cause) {
        OpenCircuit fresh = new OpenCircuit(eventType, since);
        OpenCircuit circuit = open.computeIfAbsent(key(eventType), key -> fresh);
        circuit.probes.forbid();
        boolean isNews = circuit.noteCause(cause);
        return circuit == fresh ? News.UNAVAILABLE : isNews ? News.OTHER_CAUSE : News.NONE;
    }

    /**
     * Lets probes pass from some time from now on, since what waits for the target is back in the store.
     *
     * @param pause the time until then, or {@code null} for the usual one
     */
    void allowProbes(String eventType, Duration pause) {
        OpenCircuit circuit = open.get(key(eventType));
        if (circuit != null) {
            circuit.probes.allow(pause);
        }
    }

    /**
     * Notes that a target answered; returns for how long it was taken for unavailable, or {@code null} if it was not.
     */
    Duration reset(String eventType) {
        OpenCircuit circuit = open.isEmpty() ? null : open.remove(key(eventType));
        return circuit == null ? null : Duration.between(circuit.since, clock.now());
    }

    /** Notes that an event that was let through ended without telling anything about its target. */
    void probeLost(String eventType) {
        OpenCircuit circuit = open.isEmpty() ? null : open.get(key(eventType));
        if (circuit != null) {
            circuit.probes.lost();
        }
    }

    /** Returns the time until the next probe, in milliseconds, at least 1. */
    long millisToProbe(String eventType) {
        OpenCircuit circuit = open.get(key(eventType));
        return circuit == null ? 1 : circuit.probes.millisToNext();
    }

    /** Returns what is unavailable. */
    List<UnavailableTarget> unavailable() {
        return open.values().stream()
                .map(circuit -> new UnavailableTarget(circuit.eventType, circuit.since, circuit.cause))
                .toList();
    }

    /** Returns what is left of the lane's types for its main feed. */
    EventTypes readable(EventTypes types) {
        if (scope != Scope.EVENT_TYPE || open.isEmpty()) {
            return types;
        }
        List<String> excluded = new ArrayList<>(types.names());
        excluded.addAll(open.keySet());
        return EventTypes.except(excluded);
    }

    /**
     * Returns the event types that are left out, or only probed; of one circuit for all, the type by which it opened.
     */
    Set<String> openTypes() {
        Set<String> types = new HashSet<>();
        open.values().forEach(circuit -> types.add(circuit.eventType));
        return types;
    }

    /** Returns the event types of which a probe would pass now. */
    Set<String> probeTypes() {
        Set<String> types = new HashSet<>();
        open.values().stream()
                .filter(circuit -> circuit.probes.admits(1) > 0)
                .forEach(circuit -> types.add(circuit.eventType));
        return types;
    }

    /** Returns the feeds of event types that are only probed. */
    List<PollFeed> probes() {
        return scope == Scope.EVENT_TYPE ? List.copyOf(open.values()) : List.of();
    }

    /** The circuit of a target that is unavailable, and the feed by which its event type is probed. */
    private final class OpenCircuit implements PollFeed {

        private final String eventType;
        private final Instant since;
        private final Probes probes = new Probes();
        private final Set<String> causes = new HashSet<>();
        private volatile String cause = "";

        private OpenCircuit(String eventType, Instant since) {
            this.eventType = eventType;
            this.since = since;
        }

        /**
         * Notes the cause; returns whether it is none of those known, apart from its numbers, and not one of too many.
         */
        private synchronized boolean noteCause(String newCause) {
            cause = newCause;
            return causes.size() < MOST_CAUSES
                    && causes.add(NUMBERS.matcher(newCause).replaceAll("#"));
        }

        @Override
        public EventTypes types() {
            return EventTypes.only(eventType);
        }

        @Override
        public int availableCapacity() {
            return probes.admits(room.cold());
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            if (room.cold() == 0) {
                room.await(this, () -> room.cold() > 0, action);
            } // else the lane rings when the next probe may go
        }

        @Override
        public int batchSize() {
            return 1;
        }
    }
}
