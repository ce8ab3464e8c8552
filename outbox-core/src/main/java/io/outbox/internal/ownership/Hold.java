package io.outbox.internal.ownership;

import io.outbox.internal.ownership.HeapBudget.Share;
import io.outbox.spi.Outcome;
import java.util.function.Predicate;

/**
 * One event in this node's hands, from the reservation or the claim until its outcome is durable or it was given back.
 *
 * <p>In a shared store a hold has an owner, whose lock is in the row, and an age: the time since before the statement
 * began that wrote or renewed that lock. So the lock in the row is never older than the hold says.
 */
public final class Hold {

    private enum State {
        /** Written, its transaction not ended. */
        RESERVED,
        /** Queued or with a listener. */
        HELD,
        /** Its outcome is being written. */
        SETTLING,
        ENDED
    }

    /** The place of an event among those of its key that this node holds. Told of all that becomes of it. */
    public interface Place {

        /** Notes how an attempt ended, before that is handed over to be written; returns what is to be written. */
        Outcome ended(Outcome outcome);

        /** Lets the next event begin, if this one is done; called when the outcome was handed over. */
        void goOn();

        /** Returns what is to be written in place of an outcome that the store does not take. */
        Outcome instead(Outcome outcome);

        /** Returns whether the locks of all that was delivered before it, and is not written yet, pass the test. */
        boolean allBefore(Predicate<Hold> isCertain);

        /** Notes that nothing of the event is in this node's hands any more. */
        void closed();
    }

    private final String eventId;
    private final long since = System.nanoTime();
    private volatile long queuedAt = since;
    private volatile String holder;
    private volatile long lockedSince;
    private volatile boolean lost;
    private volatile boolean contested;
    private State state;
    /** The name under which this node has claimed the event again meanwhile, or {@code null}. */
    private volatile String claimedAs;

    /** The event's place in the order of its key, or {@code null} if it keeps none. */
    private volatile Place place;

    private boolean seen;
    private long firstSeenAt;
    /** What the event takes of its lane's room, or {@code null} if nothing. Guarded by this, as what follows. */
    private Share share;

    private long bytes;
    private boolean hasPlace;

    private Hold(String eventId, String holder, long lockedSince, State state) {
        this.eventId = eventId;
        this.holder = holder;
        this.lockedSince = lockedSince;
        this.state = state;
    }

    static Hold reserved(String eventId, String holder, long lockedSince) {
        return new Hold(eventId, holder, lockedSince, State.RESERVED);
    }

    static Hold held(String eventId, String holder, long lockedSince) {
        return new Hold(eventId, holder, lockedSince, State.HELD);
    }

    /** Gives the event a place in the order of its key. */
    public void keepOrder(Place inChain) {
        place = inChain;
    }

    /** Returns the event's place in the order of its key, or {@code null} if it keeps none. */
    public Place place() {
        return place;
    }

    public String eventId() {
        return eventId;
    }

    /** Returns the holder in the event's lock in the store, or {@code null} if it is not locked. */
    public String holder() {
        return holder;
    }

    /** Returns the holder in the lock that this node has taken last. */
    public String latestHolder() {
        String claimed = claimedAs;
        return claimed == null ? holder : claimed;
    }

    /** Takes the room that an event needs from its reservation on; returns false if there is not enough. */
    public synchronized boolean reserveRoom(Share of, long size, int places) {
        if (!of.reserve(size, places)) {
            return false;
        }
        share = of;
        bytes = size;
        hasPlace = true;
        return true;
    }

    /** Takes the room that an event needs, unless it has it already; returns false if there is not enough. */
    public synchronized boolean takeRoom(Share of, long size) {
        if (share == null) {
            if (!of.take(size)) {
                return false;
            }
            share = of;
            bytes = size;
        }
        return true;
    }

    /** Gives back the place of a reservation, which is queued now, or will not be. */
    public synchronized void leavePlace() {
        if (hasPlace) {
            hasPlace = false;
            share.leavePlace();
        }
    }

    /** Gives back the room of payload and headers, which are not in memory anymore; the hold itself still is. */
    public void leaveContent() {
        leaveAllBut(HeldEvent.OBJECTS_BYTES);
    }

    /** Gives back the room that the event has taken, since nothing of it is in memory anymore. */
    void leaveRoom() {
        leaveAllBut(0);
    }

    private void leaveAllBut(long rest) {
        Share left;
        long size;
        synchronized (this) {
            leavePlace();
            left = share;
            size = Math.max(0, bytes - rest);
            bytes -= size;
            share = rest == 0 ? null : share;
        }
        if (left != null) {
            left.giveBack(size); // not under the lock: whoever waits for room is called
        }
    }

    /** Turns a reservation into a hold; returns false if it is none anymore. */
    synchronized boolean confirm() {
        if (state != State.RESERVED) {
            return false;
        }
        state = State.HELD;
        queuedAt = System.nanoTime();
        return true;
    }

    /** Ends a reservation; returns false if it is none anymore. */
    synchronized boolean endReservation() {
        if (state != State.RESERVED) {
            return false;
        }
        state = State.ENDED;
        return true;
    }

    /**
     * Notes that the row of a reservation was seen, and ends it if it was first seen that long ago; returns whether it
     * did.
     */
    synchronized boolean endSeenReservation(long afterNanos) {
        long now = System.nanoTime();
        if (!seen) {
            seen = true;
            firstSeenAt = now;
        }
        return now - firstSeenAt >= afterNanos && endReservation();
    }

    synchronized boolean isReservationOlderThan(long nanos) {
        return state == State.RESERVED && System.nanoTime() - since >= nanos;
    }

    /**
     * Notes that this node has claimed the event again while it holds it; returns false if it does not anymore. The new
     * lock is that of an outcome to come; one that was sent before keeps the name under which it was sent, so that it
     * does not count again if it is repeated.
     */
    synchronized boolean noteClaim(String claimant, long claimedSince) {
        if (state == State.ENDED || state == State.RESERVED) {
            return false;
        }
        claimedAs = claimant;
        if (state == State.HELD) {
            lost = false;
            holder = claimant;
            lockedSince = claimedSince;
        }
        return true;
    }

    /** Notes that the outcome is about to be written: from now on a lock that is gone may be gone because of that. */
    public synchronized void settle() {
        if (state == State.HELD) {
            state = State.SETTLING;
        }
    }

    /** Ends the hold; returns the name of a claim for the event that came in meanwhile, or {@code null}. */
    synchronized String end() {
        state = State.ENDED;
        return claimedAs;
    }

    /** Notes that a renewal missed the lock; returns whether that is a loss, and the first to be noticed. */
    public synchronized boolean renewalMissed() {
        return state == State.HELD && noteLoss();
    }

    /** Notes that the outcome was refused; returns whether the loss was not noticed before. */
    public synchronized boolean outcomeRefused() {
        return noteLoss();
    }

    private boolean noteLoss() {
        boolean first = !lost;
        lost = true;
        return first;
    }

    /** Notes that this node may have finished the event otherwise than by an answer to this hold. */
    public void contest() {
        contested = true;
    }

    /** Returns whether nobody on this node can have finished the event but by an answer to this hold. */
    public boolean isExclusive() {
        return !contested;
    }

    /** Returns whether another node has taken the event over. */
    public boolean isLost() {
        return lost;
    }

    /** Notes that the lock was renewed by a statement that began at that time. */
    public void renewed(long sentAtNanos) {
        lockedSince = sentAtNanos;
    }

    /**
     * Returns for how long, at most, the lock in the row has gone without renewal at a time of the {@link LockClock}.
     */
    public long lockAgeNanos(long now) {
        return now - lockedSince;
    }

    /** Returns how long the event has waited for its listener. */
    public long queuedNanos() {
        return System.nanoTime() - queuedAt;
    }

    synchronized boolean isRenewable() {
        return holder != null && !lost && (state == State.HELD || (state == State.SETTLING && claimedAs == null));
    }
}
