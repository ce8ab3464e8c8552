package io.outbox.internal.delivery;

import io.outbox.internal.keyed.KeyLane;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.PollFeed;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A stream of events with queues and workers of its own: the one of an event type with a {@code LanePolicy}, or the one
 * that all other types share. Decides which events enter, and when the lane opens, pauses and ends; its parts do the
 * rest: {@link LaneRoom} how many fit in, {@link LaneFeeds} what the poller reads, {@link LaneWorkers} who takes them,
 * {@link BatchDelivery} what becomes of them, and {@link LaneTargets} what goes back.
 *
 * <p>Whether an event may enter is decided under the lock of the queue, the same under which a pause, a circuit that
 * opens, and the end empty it. So none of them is overtaken by an event that was admitted before.
 */
final class Lane implements KeyLane {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final int NO_SCAN = -1;

    private final EventTypes types;
    private final LaneSettings settings;
    private final Alarm alarm;
    private final LaneRoom room;
    private final DispatchQueue queue;
    private final RouteCircuits circuits;
    private final LaneTargets targets;
    private final LaneFeeds feeds;
    private final LaneWorkers workers;
    /** How often the queue had been emptied when the page was read that is being handed over. */
    private volatile int removalsBeforeScan = NO_SCAN;

    private boolean started;

    Lane(EventTypes types, LaneSettings settings, EventProcessor processor, LaneContext context) {
        this.types = types;
        this.settings = settings;
        this.alarm = context.alarm();
        this.room = new LaneRoom(types, settings, context);
        this.queue = room.queue();
        this.circuits = circuits(types, settings, context, room);
        this.targets = new LaneTargets(types, settings.strictOrder(), queue, circuits, context);
        this.feeds = new LaneFeeds(types, settings.pace(), room, circuits, context);
        BatchDelivery delivery = new BatchDelivery(targets, circuits.canOpen(), processor, context);
        this.workers = new LaneWorkers(room, targets, settings, delivery, context);
    }

    private static RouteCircuits circuits(EventTypes types, LaneSettings settings, LaneContext context, LaneRoom room) {
        EngineClock clock = context.routing().clock();
        if (!types.excluded() || settings.strictOrder()) {
            return RouteCircuits.ofLane(room, clock);
        }
        return context.readByType() ? RouteCircuits.perType(room, clock) : RouteCircuits.none();
    }

    /** Queues the event; returns false if it has to stay in the store for now. */
    boolean offer(HeldEvent event) {
        return offer(List.of(event)) == 1;
    }

    /** Queues events until one has to stay in the store for now; returns how many were queued. */
    int offer(List<HeldEvent> events) {
        int queued = queue.offer(events, this::admit);
        if (queued > 0) {
            workers.come();
        }
        return queued;
    }

    private boolean admit(HeldEvent event) {
        return room.isOpen() && !isOvertaking() && room.takeBytes(event) && circuits.admit(event.eventType());
    }

    /** Returns whether, in strict order, events were given back since the page was read that is being handed over. */
    private boolean isOvertaking() {
        int before = removalsBeforeScan;
        return settings.strictOrder() && before != NO_SCAN && before != queue.removals();
    }

    /** Notes that a page is about to be read, and calls workers that could not come before. */
    void scanStarted() {
        removalsBeforeScan = queue.removals();
        workers.come();
    }

    /** Notes that the page has been handed over. */
    void scanEnded() {
        removalsBeforeScan = NO_SCAN;
    }

    /** Returns whether an event of this type, written now, may find room. */
    boolean isOpenTo(String eventType) {
        return room.isOpenToWriters() && !circuits.isOpen(eventType);
    }

    /** Returns the event types whose target does not answer. */
    Set<String> silentTypes() {
        return circuits.isAnyOpen() ? circuits.openTypes() : Set.of();
    }

    /** Returns those of them of which one event would be taken now. */
    Set<String> probeTypes() {
        return circuits.isAnyOpen() && room.cold() > 0 ? circuits.probeTypes() : Set.of();
    }

    /** Returns whether events of this type wait in the store for another reason than a lack of room. */
    boolean isHeldUp(String eventType) {
        return !room.isOpen() || circuits.isOpen(eventType);
    }

    /** Returns what the poller reads for this lane. */
    List<PollFeed> feeds() {
        return feeds.all();
    }

    /** Returns how many events are queued or with a listener. */
    int held() {
        return queue.hotSize() + queue.coldSize() + workers.delivering();
    }

    @Override
    public int coldRoom() {
        return room.cold();
    }

    @Override
    public int coldCapacity() {
        return settings.queues().coldCapacity();
    }

    @Override
    public int concurrency() {
        return settings.workers().most();
    }

    LaneRoom room() {
        return room;
    }

    /** Returns the targets that do not answer or cannot be used; what holds up all events of a type comes last. */
    List<UnavailableTarget> unavailable() {
        return targets.unavailable();
    }

    LaneTargets targets() {
        return targets;
    }

    LaneWorkers workers() {
        return workers;
    }

    synchronized void start() {
        if (!started) {
            started = true;
            Duration delay = settings.pace().startDelay();
            room.openIn(delay);
            if (!delay.isZero()) {
                targets.giveBackQueued(() -> {});
                alarm.dueIn(types, delay.toMillis() + 1);
            }
            workers.start();
        }
    }

    /** Takes no more events and gives back those queued; listeners finish what they have. */
    void pause() {
        targets.giveBackQueued(room::pause);
    }

    void resume() {
        room.resume();
    }

    /** Refuses further events; those queued are still delivered. */
    void beginClose() {
        queue.close();
        workers.beginClose();
    }

    /** Gives back everything that is queued, at the end. */
    void giveBackQueued() {
        int left = targets.giveBackQueued(() -> {});
        if (left > 0) {
            LOG.log(Level.INFO, "{0} queued events go back to the store", left);
        }
    }
}
