package io.outbox.internal.delivery;

import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** Stops and resumes the delivery of all events, and that of event types with a lane of their own. Thread-safe. */
public final class DeliveryPauses {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final Lanes lanes;
    private final Set<String> pausedTypes = new TreeSet<>();
    private volatile boolean paused;
    private long pausedAtNanos;

    DeliveryPauses(Lanes lanes) {
        this.lanes = lanes;
    }

    /** Takes no more events, and gives those queued back to the store; listeners finish what they have. */
    public synchronized void pause() {
        int queued = lanes.hotSize() + lanes.coldSize();
        boolean delivered = !paused;
        paused = true;
        lanes.pause();
        if (delivered) {
            pausedAtNanos = System.nanoTime();
            LOG.log(
                    Level.INFO,
                    "Delivery is paused: {0} queued events go back to the store, where all others wait with them until"
                            + " it is resumed; listeners finish what they have, and writing continues",
                    queued);
        }
    }

    /** Takes events again after {@link #pause()}. */
    public synchronized void resume() {
        boolean resumed = paused;
        paused = false;
        lanes.resumeAllBut(pausedTypes);
        if (resumed) {
            Duration pause = Duration.ofNanos(System.nanoTime() - pausedAtNanos);
            LOG.log(
                    Level.INFO,
                    "Delivery is resumed after a pause of {0}: what waits in the store is read again",
                    DurationText.about(pause));
        }
    }

    /**
     * Takes no more events of a type with a lane of its own, until {@link #resume(String)}.
     *
     * @throws IllegalArgumentException if the type has none
     */
    public void pause(String eventType) {
        Lane lane = requireOwnLane(eventType);
        synchronized (this) {
            pausedTypes.add(eventType);
            lane.pause();
        }
        LOG.log(Level.INFO, "Delivery of {0} is paused; its events wait in the store", eventType);
    }

    /**
     * Takes events of a type again after {@link #pause(String)}, unless all delivery is paused.
     *
     * @throws IllegalArgumentException if the type has no lane of its own
     */
    public void resume(String eventType) {
        Lane lane = requireOwnLane(eventType);
        synchronized (this) {
            pausedTypes.remove(eventType);
            if (!paused) {
                lane.resume();
            }
        }
        LOG.log(Level.INFO, "Delivery of {0} is resumed", eventType);
    }

    private Lane requireOwnLane(String eventType) {
        Lane lane = lanes.ownLaneOf(eventType);
        if (lane == null) {
            throw new IllegalArgumentException(
                    "Event type '" + eventType + "' has no lane, so it cannot be paused separately");
        }
        return lane;
    }

    /** Returns the event types that are paused by themselves. */
    public synchronized Set<String> pausedTypes() {
        return Set.copyOf(pausedTypes);
    }

    /** Returns whether the delivery of all events is stopped. */
    public boolean isAllPaused() {
        return paused;
    }
}
