package io.outbox.internal.delivery;

import io.outbox.internal.polling.PollFeed;
import io.outbox.spi.EventTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;

/**
 * The circuits of a lane: one for all its events where they have one target or must not overtake each other, else one per
 * event type. Only open ones exist. An event type whose circuit is open is read by a feed of its own, for probes alone, so
 * that it costs the others nothing.
 */
final class RouteCircuits {

    private static final String ALL = "";

    private final boolean perType;
    private final IntSupplier room;
    private final BiConsumer<PollFeed, Runnable> whenRoomFrees;
    private final Map<String, Route> open = new ConcurrentHashMap<>();

    /**
     * @param room how many events the lane can take
     * @param whenRoomFrees runs an action of a feed once the lane can take some
     */
    RouteCircuits(boolean perType, IntSupplier room, BiConsumer<PollFeed, Runnable> whenRoomFrees) {
        this.perType = perType;
        this.room = room;
        this.whenRoomFrees = whenRoomFrees;
    }

    private String key(String eventType) {
        return perType ? eventType : ALL;
    }

    boolean isOpen(String eventType) {
        return !open.isEmpty() && open.containsKey(key(eventType));
    }

    boolean isAnyOpen() {
        return !open.isEmpty();
    }

    /** Admits an event, while the circuit is open only as a probe. */
    boolean admit(String eventType) {
        Route route = open.isEmpty() ? null : open.get(key(eventType));
        return route == null || route.circuit.admit();
    }

    /** Returns how many events of the lane's main feed may be read. */
    int admits(int capacity) {
        Route all = perType || open.isEmpty() ? null : open.get(ALL);
        return all == null ? capacity : all.circuit.admits(capacity);
    }

    /** Notes that a target cannot be reached; until probes are allowed, nothing passes. Returns whether it could before. */
    boolean trip(String eventType, String cause) {
        Route fresh = new Route(eventType);
        Route route = open.computeIfAbsent(key(eventType), key -> fresh);
        route.circuit.trip();
        route.cause = cause;
        return route == fresh;
    }

    /** Lets probes pass from some time from now on, since what waits for the target is back in the store. */
    void allowProbes(String eventType) {
        Route route = open.get(key(eventType));
        if (route != null) {
            route.circuit.allowProbes();
        }
    }

    /** Notes that a target answered; returns whether it was taken for unavailable. */
    boolean reset(String eventType) {
        return !open.isEmpty() && open.remove(key(eventType)) != null;
    }

    /** Notes that an event that was let through ended without telling anything about its target. */
    void probeLost(String eventType) {
        Route route = open.isEmpty() ? null : open.get(key(eventType));
        if (route != null) {
            route.circuit.probeLost();
        }
    }

    /** Returns the time until the next probe, in milliseconds, at least 1. */
    long millisToProbe(String eventType) {
        Route route = open.get(key(eventType));
        return route == null ? 1 : route.circuit.millisToProbe();
    }

    /** Returns the event types whose target is unavailable, each with the cause. */
    Map<String, String> unavailable() {
        Map<String, String> causes = new TreeMap<>();
        open.values().forEach(route -> causes.put(route.eventType, route.cause));
        return causes;
    }

    /** Returns what is left of the lane's types for its main feed. */
    EventTypes readable(EventTypes types) {
        if (!perType || open.isEmpty()) {
            return types;
        }
        List<String> excluded = new ArrayList<>(types.names());
        excluded.addAll(open.keySet());
        return EventTypes.except(excluded);
    }

    /** Returns the feeds of event types that are only probed. */
    List<PollFeed> probes() {
        return perType ? List.copyOf(open.values()) : List.of();
    }

    /** An event type whose target is unavailable. */
    private final class Route implements PollFeed {

        private final String eventType;
        private final RouteCircuit circuit = new RouteCircuit();
        private volatile String cause;

        private Route(String eventType) {
            this.eventType = eventType;
        }

        @Override
        public EventTypes types() {
            return EventTypes.only(eventType);
        }

        @Override
        public int availableCapacity() {
            return circuit.admits(room.getAsInt());
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            if (room.getAsInt() == 0) {
                whenRoomFrees.accept(this, action);
            } // else the lane rings when the next probe may go
        }

        @Override
        public int batchSize() {
            return 1;
        }

        @Override
        public Duration interval() {
            return null;
        }
    }
}
