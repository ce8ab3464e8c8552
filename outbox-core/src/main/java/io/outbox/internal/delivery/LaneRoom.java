package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.internal.ownership.HeapBudget.Share;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.polling.Alarm;
import io.outbox.internal.polling.PollFeed;
import io.outbox.spi.EventTypes;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The room in a lane: places in its queue and bytes for its events, none of them while the lane is shut. Thread-safe.
 */
final class LaneRoom {

    private final EventTypes types;
    private final LaneSettings.Queues settings;
    private final Leases leases;
    private final Alarm alarm;
    private final DispatchQueue queue;
    private final CapacityWaiters waiters = new CapacityWaiters();
    private final Share share;
    private final ReadAhead readAhead = new ReadAhead();
    private volatile boolean paused;
    private volatile boolean standsStill;
    private volatile long opensAtNanos = System.nanoTime();

    LaneRoom(EventTypes types, LaneSettings settings, LaneContext context) {
        this.types = types;
        this.settings = settings.queues();
        this.leases = context.leases();
        this.alarm = context.alarm();
        this.queue = new DispatchQueue(
                settings.queues().hotCapacity(),
                settings.queues().coldCapacity(),
                settings.strictOrder(),
                context.depths());
        this.share = context.budget().share(waiters::roomFrees);
    }

    DispatchQueue queue() {
        return queue;
    }

    boolean isOpen() {
        return !paused && !standsStill && opensAtNanos - System.nanoTime() <= 0;
    }

    /** Returns whether an event that is written now may find room. */
    boolean isOpenToWriters() {
        return isOpen() && share.reserved() < queue.hotRemaining();
    }

    /** Takes room for an event that is about to be written; returns false if there is none, in number or in bytes. */
    boolean reserve(EventEnvelope event, Hold hold) {
        return hold.reserveRoom(share, HeldEvent.bytes(event), queue.hotRemaining());
    }

    /**
     * Takes the bytes of an event that is about to be queued, unless it has them; returns false if there are too few.
     */
    boolean takeBytes(HeldEvent event) {
        return event.hold().takeRoom(share, event.bytes());
    }

    /** Returns how many polled events can be taken. */
    int cold() {
        return isOpen() && bytes() > 0
                ? Math.max(0, Math.min(queue.coldRemaining(), mostWaiting() - queue.coldSize()))
                : 0;
    }

    long bytes() {
        return share.room();
    }

    /** Returns whether that many places are worth a read of their own, and not a few of many. */
    boolean isMuch(int places) {
        return places * 2 >= mostWaiting();
    }

    /** Returns how many polled events may wait for a worker. */
    private int mostWaiting() {
        int capacity = settings.coldCapacity();
        return leases.areKept() ? Math.min(capacity, readAhead.most()) : capacity;
    }

    /** Runs the action once it is worth to read for the feed: there are bytes, and what the feed calls enough. */
    void await(PollFeed feed, BooleanSupplier hasEnough, Runnable action) {
        waiters.await(feed, () -> share.requestRoom() && hasEnough.getAsBoolean(), action);
    }

    /** Notes that a worker has taken that many events. */
    void taken(int events) {
        readAhead.taken(events);
        waiters.roomFrees();
    }

    /** Shuts the lane for that long. */
    void openIn(Duration delay) {
        opensAtNanos = System.nanoTime() + delay.toNanos();
    }

    boolean isPaused() {
        return paused;
    }

    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
        opened();
    }

    /** Shuts the lane, since nobody takes anything from it. */
    void standStill() {
        standsStill = true;
    }

    boolean standsStill() {
        return standsStill;
    }

    /** Opens the lane again after it stood still. */
    void moveOn() {
        standsStill = false;
        opened();
    }

    private void opened() {
        waiters.roomFrees();
        alarm.dueNow(types);
    }
}
