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
import java.util.function.BiConsumer;
import java.util.function.IntSupplier;
import java.util.regex.Pattern;

/**
 * The circuits of a lane: one for all its events where they have one target or must not overtake each other, else one per
 * event type. Only open ones exist. An event type whose circuit is open is read by a feed of its own, for probes alone, so
 * that it costs the others nothing.
 */
final class RouteCircuits {

    private static final String ALL = "";
    private static final int MOST_CAUSES = 10;
    private static final Pattern NUMBERS = Pattern.compile("[0-9]+");

    private final boolean perType;
    private final IntSupplier room;
    private final BiConsumer<PollFeed, Runnable> whenRoomFrees;
    private final EngineClock clock;
    private final Map<String, Route> open = new ConcurrentHashMap<>();

    /**
     * @param room how many events the lane can take
     * @param whenRoomFrees runs an action of a feed once the lane can take some
     */
    RouteCircuits(boolean perType, IntSupplier room, BiConsumer<PollFeed, Runnable> whenRoomFrees, EngineClock clock) {
        this.perType = perType;
        this.room = room;
        this.whenRoomFrees = whenRoomFrees;
        this.clock = clock;
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

    /** What it means that a target cannot be reached. */
    enum News {
        /** It could be reached until now. */
        UNAVAILABLE,
        /** It is for another reason than those known. */
        OTHER_CAUSE,
        NONE
    }

    /** Notes that a target cannot be reached; until probes are allowed, nothing passes. */
    News trip(String eventType, String cause) {
        Route fresh = new Route(eventType, clock.now());
        Route route = open.computeIfAbsent(key(eventType), key -> fresh);
        route.circuit.trip();
        boolean unknown = route.isNew(cause);
        return route == fresh ? News.UNAVAILABLE : unknown ? News.OTHER_CAUSE : News.NONE;
    }

    /**
     * Lets probes pass from some time from now on, since what waits for the target is back in the store.
     *
     * @param pause the time until then, or {@code null} for the usual one
     */
    void allowProbes(String eventType, Duration pause) {
        Route route = open.get(key(eventType));
        if (route != null) {
            route.circuit.allowProbes(pause);
        }
    }

    /** Notes that a target answered; returns for how long it was taken for unavailable, or {@code null} if it was not. */
    Duration reset(String eventType) {
        Route route = open.isEmpty() ? null : open.remove(key(eventType));
        return route == null ? null : Duration.between(route.since, clock.now());
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

    /** Returns what is unavailable. */
    List<UnavailableTarget> unavailable() {
        return open.values().stream()
                .map(route -> new UnavailableTarget(route.eventType, route.since, route.cause))
                .toList();
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
        private final Instant since;
        private final RouteCircuit circuit = new RouteCircuit();
        private final Set<String> causes = new HashSet<>();
        private volatile String cause = "";

        private Route(String eventType, Instant since) {
            this.eventType = eventType;
            this.since = since;
        }

        /** Notes the cause; returns whether it is none of those known, apart from its numbers, and not one of too many. */
        private synchronized boolean isNew(String newCause) {
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
