package io.outbox.internal.delivery;

import io.outbox.internal.polling.PollFeed;
import io.outbox.spi.EventTypes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A lane as the poller sees it: its own events, probes of those whose target is unavailable, and, later, those that
 * other nodes may have listeners for. Thread-safe.
 */
final class LaneFeeds {

    private final EventTypes types;
    private final LaneSettings.Pace pace;
    private final LaneRoom room;
    private final RouteCircuits circuits;
    private final Routing routing;
    private final boolean readByType;
    private final PollFeed main = new MainFeed();
    private final Map<Duration, LateFeed> lateFeeds = new ConcurrentHashMap<>();

    LaneFeeds(EventTypes types, LaneSettings.Pace pace, LaneRoom room, RouteCircuits circuits, LaneContext context) {
        this.types = types;
        this.pace = pace;
        this.room = room;
        this.circuits = circuits;
        this.routing = context.routing();
        this.readByType = context.readByType();
    }

    List<PollFeed> all() {
        List<PollFeed> probes = circuits.probes();
        Map<String, Duration> late = late();
        if (probes.isEmpty() && late.isEmpty()) {
            return List.of(main);
        }
        List<PollFeed> all = new ArrayList<>(probes);
        late.values().stream().distinct().forEach(wait -> all.add(lateFeed(wait, late)));
        all.add(main);
        return all;
    }

    private LateFeed lateFeed(Duration wait, Map<String, Duration> late) {
        LateFeed lateFeed = lateFeeds.computeIfAbsent(wait, LateFeed::new);
        lateFeed.names = late.keySet().stream()
                .filter(eventType -> late.get(eventType).equals(wait))
                .toList();
        return lateFeed;
    }

    /** Returns the event types that are read by themselves, since others may have listeners that this node lacks. */
    private Map<String, Duration> late() {
        if (!readByType || !types.excluded()) {
            return Map.of();
        }
        Map<String, Duration> gaps = routing.gaps();
        return gaps.isEmpty() ? gaps : inThisLane(gaps);
    }

    private Map<String, Duration> inThisLane(Map<String, Duration> gaps) {
        Map<String, Duration> ours = new TreeMap<>(gaps);
        ours.keySet().removeIf(eventType -> !types.contains(eventType));
        return ours;
    }

    /** The lane's own events. */
    private final class MainFeed implements PollFeed {

        @Override
        public EventTypes types() {
            EventTypes readable = circuits.readable(types);
            Map<String, Duration> late = late();
            return late.isEmpty()
                    ? readable
                    : EventTypes.except(Stream.concat(readable.names().stream(), late.keySet().stream())
                            .distinct()
                            .toList());
        }

        @Override
        public int availableCapacity() {
            return circuits.admits(room.cold());
        }

        @Override
        public long availableBytes() {
            return room.bytes();
        }

        @Override
        public Duration leastWait() {
            return types.excluded()
                    ? Duration.ZERO
                    : routing.leastWait(types.names().get(0));
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            room.await(this, this::hasEnough, action);
        }

        /** Returns whether there is room for more than a few events, or for a probe. */
        private boolean hasEnough() {
            int places = availableCapacity();
            return places > 0 && (circuits.isAnyOpen() || room.isMuch(places));
        }

        @Override
        public int batchSize() {
            return pace.batchSize();
        }

        @Override
        public Duration interval() {
            return pace.pollInterval();
        }
    }

    /** Events that are read only when others have had time to take them. */
    private final class LateFeed implements PollFeed {

        private final Duration leastWait;
        private volatile List<String> names = List.of();

        private LateFeed(Duration leastWait) {
            this.leastWait = leastWait;
        }

        @Override
        public EventTypes types() {
            return new EventTypes(names, false);
        }

        @Override
        public Duration leastWait() {
            return leastWait;
        }

        @Override
        public int availableCapacity() {
            return room.cold();
        }

        @Override
        public long availableBytes() {
            return room.bytes();
        }

        @Override
        public void whenCapacityFrees(Runnable action) {
            room.await(this, () -> room.cold() > 0, action);
        }
    }
}
