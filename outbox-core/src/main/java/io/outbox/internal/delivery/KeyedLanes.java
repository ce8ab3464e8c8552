package io.outbox.internal.delivery;

import io.outbox.internal.keyed.KeyTarget;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** An engine's lanes, as the events see them that keep their order. */
final class KeyedLanes implements KeyTarget {

    private final Lanes lanes;
    private final Leases leases;
    private final Routing routing;

    KeyedLanes(Lanes lanes, LaneContext context) {
        this.lanes = lanes;
        this.leases = context.leases();
        this.routing = context.routing();
    }

    @Override
    public Lease lease() {
        return leases.current();
    }

    @Override
    public EventTypes wanted() {
        Set<String> unwanted = new TreeSet<>(leftToOthers().keySet());
        List<String> open = new ArrayList<>();
        lanes.ownLanes().forEach((eventType, lane) -> {
            if (lane.room().cold() > 0 && lane.silentTypes().isEmpty() && !unwanted.contains(eventType)) {
                open.add(eventType);
            } else {
                unwanted.add(eventType);
            }
        });
        if (lanes.shared().room().cold() == 0) {
            return new EventTypes(open, false);
        }
        unwanted.addAll(lanes.shared().silentTypes());
        return unwanted.isEmpty() ? EventTypes.ALL : EventTypes.except(List.copyOf(unwanted));
    }

    @Override
    public Set<String> probes() {
        Set<String> probes = new HashSet<>(lanes.shared().probeTypes());
        lanes.ownLanes().values().forEach(lane -> probes.addAll(lane.probeTypes()));
        return probes;
    }

    @Override
    public Map<String, Duration> leftToOthers() {
        return routing.gaps();
    }

    @Override
    public Collection<Lane> lanes() {
        return lanes.all();
    }

    @Override
    public Lane laneOf(String eventType) {
        return lanes.of(eventType);
    }

    @Override
    public boolean offer(HeldEvent event) {
        return lanes.offer(event);
    }
}
