package io.outbox.dispatch;

import io.outbox.dispatch.OwnedEvents.Hold.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The events that this node holds in memory: reserved by a writer, queued, with a listener, or waiting for their
 * outcome to be durable.
 *
 * <h2>The protocol</h2>
 *
 * An event is in the hands of at most one holder, and the {@link InFlightTracker} is the gate: whoever passes
 * {@code tryAcquire} gets a {@link Hold}, and nobody else does until the hold is closed, which happens only after the
 * outcome is durable or the event was given up. Three windows remain, each closed by its own rule:
 *
 * <ol>
 *   <li><b>Visible before queued.</b> A committed row can be polled before the commit callback has queued it. So the
 *       writer <em>reserves</em> the event before the commit, and the callback turns the reservation into a queued hold.
 *       A poller that meets a reserved event leaves it alone; only if the callback stays away for
 *       {@link #RESERVATION_GRACE} after the row was first seen does it take the event over, and a callback that
 *       comes later still is turned away.
 *   <li><b>Read before finished.</b> A poll may have read a row before its outcome was committed, and hand it over
 *       after the hold was closed. So holds that close while a scan is under way are remembered until the scan's rows
 *       have all been handed over, and such events are refused.
 *   <li><b>Claimed before closed.</b> An event whose outcome made it due again may be claimed from the store before its
 *       former hold is closed. The claim then belongs to nobody, so the hold notes it, and whoever closes the hold
 *       gives the claim back, behind the gate so that a newer hold is never unlocked.
 * </ol>
 *
 * In a shared store a hold also has an owner and an age: the lock in the row, and the time since it was last renewed.
 */
final class OwnedEvents {

    static final Duration RESERVATION_GRACE = Duration.ofSeconds(60);

    /** How long a hold that is being closed may still be in the tracker. */
    private static final long CLOSING_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final InFlightTracker tracker;
    private final long graceNanos;
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private final Set<String> stolen = ConcurrentHashMap.newKeySet();
    private final Set<String> closedDuringScan = ConcurrentHashMap.newKeySet();
    private volatile boolean scanning;

    OwnedEvents(InFlightTracker tracker) {
        this(tracker, RESERVATION_GRACE);
    }

    OwnedEvents(InFlightTracker tracker, Duration reservationGrace) {
        this.tracker = tracker;
        this.graceNanos = reservationGrace.toNanos();
    }

    /** Reserves an event that is written but not yet visible. */
    void reserve(String eventId, String ownerId) {
        if (tracker.tryAcquire(eventId)) {
            holds.put(eventId, new Hold(eventId, ownerId, State.RESERVED));
        }
    }

    /** Returns the reservation, now turned into a queued hold, or {@code null} if there is none. */
    Hold confirm(String eventId) {
        Hold hold = holds.get(eventId);
        return hold != null && hold.advance(State.RESERVED) ? hold : null;
    }

    /** Returns whether the poller took the event over because its commit callback stayed away. */
    boolean wasStolen(String eventId) {
        return stolen.remove(eventId);
    }

    /** Acquires an event that was read from the store without a lock, or returns {@code null} if it is not available. */
    Hold acquire(String eventId) {
        if (!tracker.tryAcquire(eventId)) {
            return stealReservation(eventId, graceNanos);
        }
        if (scanning && closedDuringScan.contains(eventId)) {
            tracker.release(eventId);
            return null;
        }
        return opened(new Hold(eventId, null, State.QUEUED));
    }

    /**
     * Acquires an event that was just locked in the store, or returns {@code null} if this node holds it already. If a
     * tracker that others use too refuses it, the event is left alone until its lock has run out.
     */
    Hold acquireClaimed(String eventId, String ownerId) {
        long giveUpAt = System.nanoTime() + CLOSING_GRACE_NANOS;
        while (!tracker.tryAcquire(eventId)) {
            Hold hold = stealReservation(eventId, 0);
            if (hold != null) {
                return hold;
            }
            Hold current = holds.get(eventId);
            boolean noted = current != null && current.noteClaim(ownerId);
            if (noted || System.nanoTime() - giveUpAt > 0) {
                return null;
            }
            Thread.onSpinWait();
        }
        return opened(new Hold(eventId, ownerId, State.QUEUED));
    }

    private Hold opened(Hold hold) {
        holds.put(hold.eventId, hold);
        return hold;
    }

    private Hold stealReservation(String eventId, long afterNanos) {
        Hold hold = holds.get(eventId);
        if (hold == null || !hold.isOverdueReservation(afterNanos)) {
            return null;
        }
        stolen.add(eventId); // before the hold changes hands, so that a callback always finds out
        if (hold.advance(State.RESERVED)) {
            return hold;
        }
        stolen.remove(eventId);
        return null;
    }

    /**
     * Closes the hold after its outcome is durable or the event was given up.
     *
     * @return a new hold if a claim for the event came in meanwhile, which the caller must give back to the store;
     *     otherwise {@code null}
     */
    Hold close(Hold hold) {
        if (scanning) {
            closedDuringScan.add(hold.eventId);
        }
        boolean claimedMeanwhile = hold.end();
        tracker.release(hold.eventId);
        holds.remove(hold.eventId, hold);
        return claimedMeanwhile && tracker.tryAcquire(hold.eventId)
                ? opened(new Hold(hold.eventId, hold.ownerId, State.QUEUED))
                : null;
    }

    /** Begins a scan of the store; scans do not overlap. */
    void scanStarted() {
        closedDuringScan.clear();
        scanning = true;
    }

    /** Ends a scan, all rows of which have been handed over. */
    void scanEnded() {
        scanning = false;
        closedDuringScan.clear();
    }

    int size() {
        return holds.size();
    }

    /** Returns the holds with a lock in the store that is at least this old and wanted further. */
    Collection<Hold> lockedLongerThan(long nanos) {
        List<Hold> old = new ArrayList<>();
        for (Hold hold : holds.values()) {
            if (hold.ownerId() != null && hold.state != State.RESERVED && hold.lockAgeNanos() >= nanos) {
                old.add(hold);
            }
        }
        return old;
    }

    /** One event in this node's hands. */
    static final class Hold {

        enum State {
            RESERVED,
            QUEUED,
            ENDED
        }

        final String eventId;
        private volatile String ownerId;
        private final long createdAt = System.nanoTime();
        private volatile long lockedAt = createdAt;
        private volatile long queuedAt = createdAt;
        private volatile State state;
        private volatile boolean lost;
        private long firstSeenAt;
        private boolean seen;
        private boolean claimedMeanwhile;

        private Hold(String eventId, String ownerId, State state) {
            this.eventId = eventId;
            this.ownerId = ownerId;
            this.state = state;
        }

        private synchronized boolean advance(State expected) {
            if (state != expected) {
                return false;
            }
            state = State.QUEUED;
            queuedAt = System.nanoTime();
            return true;
        }

        private synchronized boolean isOverdueReservation(long afterNanos) {
            if (state != State.RESERVED) {
                return false;
            }
            long now = System.nanoTime();
            if (!seen) {
                seen = true;
                firstSeenAt = now;
            }
            return now - firstSeenAt >= afterNanos;
        }

        private synchronized boolean noteClaim(String claimant) {
            if (state == State.ENDED) {
                return false;
            }
            claimedMeanwhile = true;
            lost = false;
            ownerId = claimant;
            lockedAt = System.nanoTime();
            return true;
        }

        private synchronized boolean end() {
            state = State.ENDED;
            return claimedMeanwhile;
        }

        /** Returns the owner of the event's lock in the store, or {@code null} if it is not locked. */
        String ownerId() {
            return ownerId;
        }

        void renewed(long atNanos) {
            lockedAt = atNanos;
        }

        /** Notes that the lock has gone to another node; returns false if the hold ended in the meantime. */
        synchronized boolean lost() {
            if (state == State.ENDED || lost) {
                return false;
            }
            lost = true;
            return true;
        }

        boolean isLost() {
            return lost;
        }

        long lockAgeNanos() {
            return System.nanoTime() - lockedAt;
        }

        long queuedNanos() {
            return System.nanoTime() - queuedAt;
        }
    }
}
