package io.outbox.internal.delivery;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.polling.PollFeed;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import io.outbox.spi.JsonCodec;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** All lanes of an engine: those of event types with one of their own, and the one that the others share. */
final class Lanes {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final long INTERRUPT_GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<String, Lane> byType;
    private final Lane shared;
    private final List<Lane> all;
    private final EngineMetrics metrics;
    private final DispatchQueue.Depths depths;
    private final JsonCodec codec;
    private volatile boolean started;

    /** @param codec reads the payloads of all that is delivered; {@code null} leaves that to the default codec */
    Lanes(Map<String, Lane> byType, Lane shared, LaneContext context, JsonCodec codec) {
        this.byType = Map.copyOf(byType);
        this.shared = shared;
        this.all = Stream.concat(byType.values().stream(), Stream.of(shared)).toList();
        this.metrics = context.metrics();
        this.depths = context.depths();
        this.codec = codec;
    }

    Lane of(String eventType) {
        return byType.getOrDefault(eventType, shared);
    }

    /** Returns the lane of a type that has one of its own, or {@code null}. */
    Lane ownLaneOf(String eventType) {
        return byType.get(eventType);
    }

    List<Lane> all() {
        return all;
    }

    Lane shared() {
        return shared;
    }

    /** Returns the event types with a lane of their own. */
    Map<String, Lane> ownLanes() {
        return byType;
    }

    /** Queues the event in its lane; returns false if it has to stay in the store for now. */
    boolean offer(HeldEvent event) {
        boolean queued = of(event.eventType()).offer(codec == null ? event : event.readBy(codec));
        if (queued && !metrics.isOff()) {
            metrics.recordQueueDepths(hotSize(), coldSize());
        }
        return queued;
    }

    /** Queues events in their lanes until one has to stay in the store for now; returns how many were queued. */
    int offer(List<HeldEvent> events) {
        int queued = 0;
        while (queued < events.size()) {
            Lane lane = of(events.get(queued).eventType());
            int end = queued + 1;
            while (end < events.size() && of(events.get(end).eventType()) == lane) {
                end++;
            }
            List<HeldEvent> run = events.subList(queued, end);
            int taken = lane.offer(
                    codec == null
                            ? run
                            : run.stream().map(event -> event.readBy(codec)).toList());
            queued += taken;
            if (taken < run.size()) {
                break;
            }
        }
        if (queued > 0 && !metrics.isOff()) {
            metrics.recordQueueDepths(hotSize(), coldSize());
        }
        return queued;
    }

    List<PollFeed> feeds() {
        if (all.size() == 1) {
            return shared.feeds();
        }
        List<PollFeed> feeds = new ArrayList<>(all.size());
        all.forEach(lane -> feeds.addAll(lane.feeds()));
        return feeds;
    }

    /** Returns the feeds that may have events of these types. */
    List<PollFeed> feeds(EventTypes types) {
        boolean isOne = !types.excluded() && types.names().size() == 1;
        return isOne ? of(types.names().get(0)).feeds() : feeds();
    }

    void scanStarted() {
        all.forEach(Lane::scanStarted);
    }

    void scanEnded() {
        all.forEach(Lane::scanEnded);
    }

    int hotSize() {
        return depths.hot();
    }

    int coldSize() {
        return depths.cold();
    }

    /** Returns the targets that do not answer. */
    List<UnavailableTarget> unavailable() {
        return all.stream().flatMap(lane -> lane.unavailable().stream()).toList();
    }

    void start() {
        all.forEach(Lane::start);
        started = true;
    }

    /** Returns whether workers take events by themselves. */
    boolean isStarted() {
        return started;
    }

    void pause() {
        all.forEach(Lane::pause);
    }

    /** Resumes all lanes but those of the given types. */
    void resumeAllBut(Set<String> eventTypes) {
        shared.resume();
        byType.forEach((eventType, lane) -> {
            if (!eventTypes.contains(eventType)) {
                lane.resume();
            }
        });
    }

    void giveBackWhatHasNotMovedFor(Duration time) {
        all.forEach(lane -> lane.workers().giveBackIfStandingStill(time));
    }

    /** Delivers one batch of each lane on the calling thread, each followed by the action; returns how many events. */
    int deliverNext(Runnable afterEach) {
        int total = 0;
        for (Lane lane : all) {
            int delivered = lane.workers().deliverNext();
            if (delivered > 0) {
                afterEach.run();
            }
            total += delivered;
        }
        return total;
    }

    /** Refuses further events, and waits until what is queued is delivered; at the deadline, forces the end of all. */
    void close(long deadlineNanos) {
        all.forEach(Lane::beginClose);
        try {
            if (!awaitEnd(deadlineNanos)) {
                all.forEach(Lane::giveBackQueued);
                all.forEach(lane -> lane.workers().force());
                if (!awaitEnd(System.nanoTime() + INTERRUPT_GRACE_NANOS)) {
                    LOG.log(
                            Level.WARNING,
                            "A listener does not end; its event is delivered again later unless it succeeds");
                }
            }
        } catch (InterruptedException e) {
            all.forEach(lane -> lane.workers().force());
            Thread.currentThread().interrupt();
        }
        all.forEach(Lane::giveBackQueued);
    }

    private boolean awaitEnd(long deadlineNanos) throws InterruptedException {
        boolean ended = true;
        for (Lane lane : all) {
            ended &= lane.workers().awaitEnd(deadlineNanos);
        }
        return ended;
    }
}
