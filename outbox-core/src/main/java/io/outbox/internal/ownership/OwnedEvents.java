package io.outbox.internal.ownership;

import io.outbox.dispatch.InFlightTracker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The events that this node holds in memory: reserved by a writer, queued, with a listener, or waiting for their
 * outcome to be durable.
 *
 * <h2>The protocol</h2>
 *
 * An event is in the hands of at most one holder, and the {@link InFlightTracker} is the gate: whoever passes
 * {@code tryAcquire} gets a {@link Hold}, and nobody else does until the hold is closed, which happens only after the
 * outcome is durable or the event was given back. Five windows remain, each closed by its own rule:
 *
 * <ol>
 *   <li><b>Visible before queued.</b> A row can be polled before the end of its transaction was reported here. So the
 *       writer <em>reserves</em> the event before it inserts the row, and the report turns the reservation into a hold, or
 *       ends it. A poller that meets a reserved event leaves it alone; only if the report stays away for
 *       {@link #RESERVATION_GRACE} after the row was first seen does it get a hold of its own, and the reservation, which
 *       the writer knows as an object and not by its id, is over.
 *   <li><b>Never reported.</b> A reservation whose report stays away for {@link #LONGEST_RESERVATION} is forgotten. If its
 *       transaction commits after all, the event is left to the poller.
 *   <li><b>Read before finished.</b> A poll may have read a row before its outcome was committed, and hand it over
 *       after the hold was closed. So holds that close while a scan is under way are remembered until the scan's rows
 *       have all been handed over, and such events are refused.
 *   <li><b>Claimed before closed.</b> An event whose outcome made it due again may be claimed from the store before its
 *       former hold is closed. The claim then belongs to nobody, so the hold notes it, and whoever closes the hold
 *       gives the claim back, behind the gate so that a newer hold is never unlocked.
 *   <li><b>Claimed before released.</b> An event that is being given back while its row comes anew, of a transaction that
 *       is repeated, may be claimed first and released then, and its former hold be closed when the claim arrives. Such a
 *       claim may have no lock, so it is not delivered but given back too.
 * </ol>
 */
public final class OwnedEvents {

    static final Duration RESERVATION_GRACE = Duration.ofSeconds(60);
    static final Duration LONGEST_RESERVATION = Duration.ofMinutes(10);

    private final InFlightTracker tracker;
    private final LockClock clock;
    private final long graceNanos;
    private final long longestNanos;
    private final Map<String, Hold> holds = new ConcurrentHashMap<>();
    private final Set<String> closedDuringScan = ConcurrentHashMap.newKeySet();
    private volatile boolean scanning;
    private long sweptAtNanos = System.nanoTime();

    public OwnedEvents(InFlightTracker tracker) {
        this(tracker, RESERVATION_GRACE, LONGEST_RESERVATION, new LockClock());
    }

    OwnedEvents(InFlightTracker tracker, Duration reservationGrace, Duration longestReservation, LockClock clock) {
        this.tracker = tracker;
        this.clock = clock;
        this.graceNanos = reservationGrace.toNanos();
        this.longestNanos = longestReservation.toNanos();
    }

    /** Returns the time by which the age of locks is told. */
    public long now() {
        return clock.now();
    }

    /** Reserves an event that is about to be written; returns {@code null} if it is in somebody's hands already. */
    public Hold reserve(String eventId, String holder) {
        Hold reservation = Hold.reserved(eventId, holder, clock.now());
        return tracker.tryAcquire(eventId) ? opened(reservation) : null;
    }

    /** Turns the reservation into a hold; returns false if the event was taken from it. */
    public boolean confirm(Hold reservation) {
        return reservation.confirm();
    }

    /** Ends a reservation whose event is not in the store, for certain. */
    public void undo(Hold reservation) {
        if (reservation.endReservation()) {
            forget(reservation);
        }
    }

    /**
     * Acquires an event that was read from the store without a lock, or returns {@code null} if it is not available.
     */
    public Hold acquire(String eventId) {
        Hold hold = Hold.held(eventId, null, clock.now());
        if (!tracker.tryAcquire(eventId)) {
            return instead(eventId, hold, graceNanos);
        }
        if (scanning && closedDuringScan.contains(eventId)) {
            tracker.release(eventId);
            return null;
        }
        return opened(hold);
    }

    /**
     * Acquires an event that was read without a lock while no event of its key was in this node's hands, so that none
     * of them can have ended since it was read; returns {@code null} if somebody has it.
     */
    public Hold acquireKeyed(String eventId) {
        return tracker.tryAcquire(eventId) ? opened(Hold.held(eventId, null, clock.now())) : null;
    }

    /**
     * Acquires an event that was locked in the store by a statement that began at the given time, or returns {@code
     * null} if this node holds it already. If a tracker that others use too refuses it, the event is left alone until
     * its lock has run out.
     *
     * @param patience how long to wait for a hold that is being closed, for all events that are acquired together
     */
    public Hold acquireClaimed(String eventId, String holder, long lockedSince, Patience patience) {
        Hold claimed = Hold.held(eventId, holder, lockedSince);
        while (!tracker.tryAcquire(eventId)) {
            if (instead(eventId, claimed, 0) != null) {
                return claimed;
            }
            Hold current = holds.get(eventId);
            boolean noted = current != null && current.noteClaim(holder, lockedSince);
            if (noted || patience.isOver()) {
                return null;
            }
            Thread.onSpinWait();
        }
        return opened(claimed);
    }

    /**
     * Returns whether a former hold of the event was closed since the scan began, with the lock that the scan has
     * taken.
     */
    public boolean wasClosedDuringScan(Hold claimed) {
        return scanning && closedDuringScan.contains(claimed.eventId());
    }

    /** Notes the hold of an event that has passed the gate, which opens again if that fails. */
    private Hold opened(Hold hold) {
        Hold former;
        try {
            former = holds.put(hold.eventId(), hold);
        } catch (RuntimeException | Error e) {
            tracker.release(hold.eventId());
            throw e;
        }
        if (former != null) { // a tracker has let both pass
            former.contest();
            hold.contest();
        }
        return hold;
    }

    /** Puts a hold in the place of a reservation that is overdue; returns {@code null} if there is none. */
    private Hold instead(String eventId, Hold hold, long afterNanos) {
        Hold reservation = holds.get(eventId);
        if (reservation == null || !reservation.endSeenReservation(afterNanos)) {
            return null;
        }
        reservation.leaveRoom();
        return opened(hold);
    }

    /**
     * Closes the hold after its outcome is durable or the event was given back.
     *
     * @return a new hold if a claim for the event came in meanwhile, which the caller must give back to the store;
     *     otherwise {@code null}
     */
    public Hold close(Hold hold) {
        if (scanning) {
            closedDuringScan.add(hold.eventId());
        }
        String claimedAs = hold.end();
        forget(hold);
        try {
            if (claimedAs == null) {
                return null;
            }
            Hold unwanted = Hold.held(hold.eventId(), claimedAs, clock.now());
            return tracker.tryAcquire(hold.eventId()) ? opened(unwanted) : null;
        } finally {
            if (hold.place() != null) {
                hold.place().closed();
            }
        }
    }

    /** Opens the gate, unless another hold has taken this one's place. */
    private void forget(Hold hold) {
        hold.leaveRoom();
        if (holds.remove(hold.eventId(), hold)) {
            tracker.release(hold.eventId());
        }
    }

    /** Begins a scan of the store; scans do not overlap. */
    public void scanStarted() {
        closedDuringScan.clear();
        scanning = true;
        forgetOldReservations();
    }

    /** Ends a scan, all rows of which have been handed over. */
    public void scanEnded() {
        scanning = false;
        closedDuringScan.clear();
    }

    private void forgetOldReservations() {
        long now = System.nanoTime();
        if (now - sweptAtNanos < Math.min(longestNanos, graceNanos)) {
            return;
        }
        sweptAtNanos = now;
        for (Hold hold : holds.values()) {
            if (hold.isReservationOlderThan(longestNanos)) {
                undo(hold);
            }
        }
    }

    /** Returns the events in this node's hands that are locked under one of these names. */
    public Set<String> heldBy(Set<String> holders) {
        Set<String> held = new HashSet<>();
        for (Hold hold : holds.values()) {
            if (holders.contains(String.valueOf(hold.holder()))
                    || holders.contains(String.valueOf(hold.latestHolder()))) {
                held.add(hold.eventId());
            }
        }
        return held;
    }

    /** Returns whether the event is in this node's hands. */
    public boolean isHeld(String eventId) {
        return holds.containsKey(eventId);
    }

    public int size() {
        return holds.size();
    }

    /** Returns the holds with a lock in the store that is at least this old and wanted further. */
    public List<Hold> lockedLongerThan(long nanos) {
        long now = clock.now();
        List<Hold> old = new ArrayList<>();
        for (Hold hold : holds.values()) {
            if (hold.lockAgeNanos(now) >= nanos && hold.isRenewable()) {
                old.add(hold);
            }
        }
        return old;
    }
}
