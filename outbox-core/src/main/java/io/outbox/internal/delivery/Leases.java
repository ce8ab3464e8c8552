package io.outbox.internal.delivery;

import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.spi.Lease;
import java.util.ArrayList;
import java.util.List;

/** Whether events are held by locks in a shared store, and by whom. Begins without, for one node alone. */
final class Leases {

    private volatile LeaseKeeper keeper;

    void keepBy(LeaseKeeper leaseKeeper) {
        keeper = leaseKeeper;
    }

    boolean areKept() {
        return keeper != null;
    }

    /** Returns the lease under which events are held, or {@code null}. */
    Lease lease() {
        LeaseKeeper current = keeper;
        return current == null ? null : current.lease();
    }

    /** Returns the lease for what is claimed or written from now on, or {@code null}. */
    Lease current() {
        LeaseKeeper keeping = keeper;
        return keeping == null ? null : keeping.current();
    }

    /** Returns the holder in the rows of events that are written from now on, or {@code null}. */
    String holder() {
        Lease lease = current();
        return lease == null ? null : lease.holder();
    }

    /** Has what is claimed or written from now on held under another name: who knows what this one has locked. */
    void answerLost() {
        LeaseKeeper keeping = keeper;
        if (keeping != null) {
            keeping.answerLost();
        }
    }

    /** Renews the locks of those events that are not certain to last for a while yet. */
    void secure(List<HeldEvent> events) {
        LeaseKeeper current = keeper;
        if (current != null) {
            List<Hold> holds = new ArrayList<>(events.size());
            events.forEach(event -> holds.add(event.hold()));
            current.secure(holds);
        }
    }

    /**
     * Returns whether no other node can have taken over an event of the same key that was delivered before this one.
     */
    boolean areCertainBefore(Hold hold) {
        LeaseKeeper current = keeper;
        return current == null || hold.place() == null || hold.place().allBefore(current::isCertain);
    }

    void close() {
        LeaseKeeper current = keeper;
        if (current != null) {
            current.close();
        }
    }
}
