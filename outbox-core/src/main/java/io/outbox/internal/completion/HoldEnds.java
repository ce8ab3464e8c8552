package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.Alarm;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventTypes;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * How holds end. To give an event back is one act for every reason there is, a full queue, a pause, a circuit, the end:
 * its lock in the store is released, if it has one, and then its hold is closed. Anybody may give back; locks are
 * released by one thread at a time.
 */
final class HoldEnds {

    private final OwnedEvents owned;
    private final Releases releases;
    private final boolean releasesLocks;
    private final Signal work;
    private final Alarm alarm;

    /** @param work given when there is something to release */
    HoldEnds(DeliveryBackend backend, OwnedEvents owned, Signal work, Alarm alarm) {
        this.owned = owned;
        this.releases = new Releases(backend);
        this.releasesLocks = backend.supports(Capability.RELEASE);
        this.work = work;
        this.alarm = alarm;
    }

    /** Returns whether events that are given back lose their lock in the store, or keep it until it has run out. */
    boolean releasesLocks() {
        return releasesLocks;
    }

    void giveBack(Hold hold) {
        if (hold.holder() == null || !releasesLocks) {
            close(hold);
            return;
        }
        releases.add(hold);
        work.give();
    }

    /** Closes a hold; a claim for the event that came in meanwhile is given back. Returns whether there was one. */
    boolean close(Hold hold) {
        Hold unwantedClaim = owned.close(hold);
        if (unwantedClaim == null) {
            return false;
        }
        giveBack(unwantedClaim);
        return true;
    }

    /** Closes holds whose events have no end that the store knows of. */
    void abandon(List<Hold> holds) {
        holds.forEach(owned::close);
    }

    Releases releases() {
        return releases;
    }

    /**
     * Releases what is in hand, and tells the poller. What was claimed again meanwhile is released at once, before the
     * poller is told: it would claim the event once more while that hold is open, and both would go on like this for
     * ever.
     */
    void release() {
        AtomicBoolean free = new AtomicBoolean();
        AtomicBoolean claimedAgain = new AtomicBoolean();
        try {
            do {
                claimedAgain.set(false);
                releases.release(holds -> holds.forEach(hold -> (close(hold) ? claimedAgain : free).set(true)));
                if (claimedAgain.get()) {
                    releases.takeInHand();
                }
            } while (claimedAgain.get());
        } finally {
            if (free.get()) {
                alarm.dueNow(EventTypes.ALL);
            }
        }
    }
}
