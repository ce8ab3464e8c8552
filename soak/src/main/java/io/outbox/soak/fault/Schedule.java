package io.outbox.soak.fault;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Plans faults at random, the same ones for the same seed. Every kind comes once before any comes again, so that a run
 * of some minutes has all of them. Not thread-safe.
 */
public final class Schedule {

    private static final Duration SHORTEST_QUIET = Duration.ofMillis(500);
    private static final Duration LONGEST_QUIET = Duration.ofSeconds(4);

    private static final Duration SHORTEST_LOCK = Duration.ofSeconds(1);
    private static final Duration LONGEST_LOCK = Duration.ofSeconds(30);

    private final Random random;
    private final int nodes;
    private final Duration lease;
    private final Set<FaultKind> kinds;
    private final Deque<FaultKind> round = new ArrayDeque<>();

    public Schedule(long seed, int nodes, Duration lease, Set<FaultKind> kinds) {
        this.random = new Random(seed);
        this.nodes = nodes;
        this.lease = lease;
        this.kinds = kinds;
    }

    /** Returns faults for so much time. */
    public List<PlannedFault> plan(Duration total) {
        List<PlannedFault> faults = new ArrayList<>();
        Duration planned = Duration.ZERO;
        while (planned.compareTo(total) < 0) {
            PlannedFault fault = next();
            faults.add(fault);
            planned = planned.plus(fault.quietBefore()).plus(fault.duration());
        }
        return faults;
    }

    private PlannedFault next() {
        if (round.isEmpty()) {
            List<FaultKind> shuffled = new ArrayList<>(kinds);
            shuffled.sort(null);
            Collections.shuffle(shuffled, random);
            round.addAll(shuffled);
        }
        FaultKind kind = round.remove();
        Duration quiet = between(SHORTEST_QUIET, LONGEST_QUIET);
        return new PlannedFault(kind, quiet, random.nextInt(nodes), duration(kind));
    }

    private Duration duration(FaultKind kind) {
        if (kind == FaultKind.SERVER_ROWS_LOCKED) {
            return between(SHORTEST_LOCK, LONGEST_LOCK);
        }
        return kind.lasts() ? longerThanLease() : Duration.ZERO;
    }

    /** From a lease and a quarter to twice the lease: locks run out, and there is time for somebody to take them. */
    private Duration longerThanLease() {
        return between(lease.multipliedBy(5).dividedBy(4), lease.multipliedBy(2));
    }

    private Duration between(Duration shortest, Duration longest) {
        return Duration.ofMillis(random.nextLong(shortest.toMillis(), longest.toMillis()));
    }
}
