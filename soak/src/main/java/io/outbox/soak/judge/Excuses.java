package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.ledger.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decides whether a fault explains that an event came again.
 *
 * <p>It has to be a fault of the node that made the <em>earlier</em> delivery, between that delivery and the later one:
 * this node could not keep its lease, or could not say that the event was done, and the other was right to take over. A
 * fault of the later node explains nothing: it must not deliver what it has lost.
 *
 * <p>A row that a session beside the nodes has locked can neither be renewed nor finished. That explains a repetition
 * of this very event, and of no other.
 *
 * <p>There is one exception, which no lease can prevent. A node may be stopped after it has looked at its lock for the
 * last time and before the listener runs; when it goes on, the listener runs. That window is microseconds wide, so one
 * such delivery for each stop is believed, if it began at the very moment the node went on.
 */
final class Excuses {

    /** What it takes a process to run again after SIGCONT, on a busy machine. */
    private static final Duration WAKING_UP = Duration.ofMillis(50);

    private final List<Fault> faults;
    private final Duration toleratedSilence;
    private final Set<Fault> usedAtTheDoor = new HashSet<>();

    Excuses(List<Fault> faults, Duration lease) {
        this.faults = faults;
        // Locks are renewed at half the lease at the latest, so that a shorter silence must not cost the lease.
        this.toleratedSilence = lease.dividedBy(2);
    }

    /** Returns the fault that explains the later delivery, if there is one. */
    Optional<Fault> explain(Delivery earlier, Delivery later) {
        Optional<Fault> excuse = faults.stream()
                .filter(fault -> hits(fault, earlier))
                .filter(fault -> overlaps(fault, earlier, later))
                .filter(fault -> excuses(fault, earlier))
                .findFirst();
        return excuse.isPresent() ? excuse : atTheDoor(earlier, later);
    }

    /** Returns whether somebody beside the nodes had locked the row of the later delivery for too long. */
    boolean isRowLocked(Delivery earlier, Delivery later) {
        return faults.stream()
                .anyMatch(fault -> fault.kind() == FaultKind.SERVER_ROWS_LOCKED
                        && fault.events().contains(later.eventId())
                        && !fault.begin().isAfter(later.begin())
                        && excuses(fault, earlier));
    }

    private static boolean hits(Fault fault, Delivery earlier) {
        return fault.target().equals(earlier.node()) || fault.events().contains(earlier.eventId());
    }

    private static boolean overlaps(Fault fault, Delivery earlier, Delivery later) {
        return !fault.begin().isAfter(later.begin()) && !fault.end().isBefore(earlier.begin());
    }

    private boolean excuses(Fault fault, Delivery earlier) {
        return switch (fault.kind().excuse()) {
            case ALWAYS -> true;
            case LOST_LEASE, LOCKED_ROW -> fault.duration().compareTo(toleratedSilence) >= 0;
            case UNFINISHED -> earlier.end() == null || earlier.end().isAfter(fault.end());
            case NEVER -> false;
        };
    }

    private Optional<Fault> atTheDoor(Delivery earlier, Delivery later) {
        return faults.stream()
                .filter(fault -> fault.kind() == FaultKind.STOPPED)
                .filter(fault -> fault.target().equals(later.node()))
                .filter(fault -> isWithin(fault.begin(), earlier.begin(), fault.end()))
                .filter(fault ->
                        isWithin(fault.end(), later.begin(), fault.end().plus(WAKING_UP)))
                .filter(usedAtTheDoor::add)
                .findFirst();
    }

    private static boolean isWithin(Instant from, Instant at, Instant to) {
        return !at.isBefore(from) && !at.isAfter(to);
    }
}
