package io.outbox.internal.keyed;

import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Lease;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;

/** Where events go that keep their order: an engine's lanes, as the loop sees them. Thread-safe. */
public interface KeyTarget {

    /** Returns the lease under which events are claimed, or {@code null} on a node that is alone. */
    Lease lease();

    /** Returns the event types that would be taken now. */
    EventTypes wanted();

    /** Returns the event types of which one event would be taken now, to see whether their target answers again. */
    Set<String> probes();

    /** Returns the event types that nobody here listens to, each with how long its events are left to other nodes. */
    Map<String, Duration> leftToOthers();

    /** Returns where events go, each of which has room of its own. */
    Collection<? extends KeyLane> lanes();

    /** Returns where events of this type go. */
    KeyLane laneOf(String eventType);

    /** Queues an event; returns false if it has to stay in the store for now. */
    boolean offer(HeldEvent event);
}
