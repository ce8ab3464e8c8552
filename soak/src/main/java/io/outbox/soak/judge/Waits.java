package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.ledger.EventKind;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * Decides whether an event waited for longer than it should. While a fault keeps a node from delivering what it holds,
 * or the server from working, and until leases that were lost by it have ended, events may wait. All other waiting
 * together has to be shorter than a lease: an answer that was lost or a row that somebody has locked must not cost one.
 */
final class Waits {

    private final List<Fault> faults;
    private final Duration longest;
    private final Duration recovery;

    Waits(List<Fault> faults, Duration lease) {
        this.faults = faults.stream().sorted(Comparator.comparing(Fault::begin)).toList();
        this.longest = lease.multipliedBy(7).dividedBy(8);
        this.recovery = lease.multipliedBy(2);
    }

    /**
     * Returns whether an event that was due then came to a listener too late.
     *
     * @param isAhead tells the event, and those that it had to wait for
     */
    boolean isTooLong(EventKind kind, Predicate<String> isAhead, Instant due, Instant begin) {
        Duration unexplained = Duration.ZERO;
        Instant from = due;
        for (Fault fault : faults) {
            if (delays(fault, kind, isAhead)) {
                unexplained = unexplained.plus(between(from, earlier(fault.begin(), begin)));
                from = later(from, fault.end().plus(recovery));
            }
        }
        return unexplained.plus(between(from, begin)).compareTo(longest) > 0;
    }

    private static boolean delays(Fault fault, EventKind kind, Predicate<String> isAhead) {
        return fault.kind().delays(kind) || fault.events().stream().anyMatch(isAhead);
    }

    private static Duration between(Instant from, Instant to) {
        return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
    }

    private static Instant earlier(Instant one, Instant other) {
        return one.isBefore(other) ? one : other;
    }

    private static Instant later(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }
}
