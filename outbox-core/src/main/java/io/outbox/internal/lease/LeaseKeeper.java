package io.outbox.internal.lease;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.watch.Isolation;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.spi.Capability;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.Lease;
import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Keeps this node's locks in a shared store alive for as long as it works on the events, however long a listener runs.
 *
 * <p>Locks are renewed well before they run out. A worker must not start on an event whose lock is nearly out of time:
 * it renews it first, and lets go of the event if another node has it by now. What only waits in the queue of a lane
 * that makes no progress is not renewed for ever: it is given back, so that another node can deliver it.
 *
 * <p>With every turn the store is asked for something, so that a node without work notices too when it stops answering.
 */
public final class LeaseKeeper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final int MAX_BATCH = 512;
    /** How often in the time of a lease locks are looked at. */
    private static final int TURNS = 6;

    private final long periodNanos;
    /** The age from which a lock is renewed: two turns may fail before it is too old to begin with. */
    private final long oldNanos;
    /** The age from which nothing is begun without a renewal, so that a third of the lease is left for it. */
    private final long tooOldNanos;

    private final Lease lease;
    private final DeliveryBackend backend;
    private final OwnedEvents owned;
    private final EngineMetrics metrics;
    private final Standstill standstill;
    private final boolean renewing;
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-lease-"));
    /**
     * Whose rows somebody else had locked, those that have waited longest first; for the thread of the scheduler only.
     */
    private final Set<Hold> locked = new LinkedHashSet<>();

    private volatile Lease current;
    private volatile StoreWatch watch = new StoreWatch();
    private final Outage outage = new Outage(
            LOG,
            Level.WARNING,
            "Cannot renew locks; if this lasts, other nodes take the events over",
            "Locks are renewed again");

    /** Told when to give back what waits in queues that do not move. */
    @FunctionalInterface
    public interface Standstill {
        void giveBack();
    }

    public LeaseKeeper(
            Lease lease, DeliveryBackend backend, OwnedEvents owned, EngineMetrics metrics, Standstill standstill) {
        long leaseNanos = lease.duration().toNanos();
        this.periodNanos = Math.max(1, leaseNanos / TURNS);
        this.oldNanos = leaseNanos / 3;
        this.tooOldNanos = leaseNanos / 3 * 2;
        this.lease = lease;
        this.current = lease;
        this.backend = backend;
        this.owned = owned;
        this.metrics = metrics;
        this.standstill = standstill;
        this.renewing = backend.supports(Capability.RENEW);
    }

    /** Begins to renew, also at once whenever the store answers again after an outage. */
    public LeaseKeeper start(StoreWatch storeWatch) {
        watch = storeWatch;
        watch.expect(lease.duration());
        watch.onRecovery(this::renewSoon);
        scheduler.scheduleWithFixedDelay(this::turn, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
        return this;
    }

    public Lease lease() {
        return lease;
    }

    /** Returns the lease for what is claimed or written from now on: with another token since an answer got lost. */
    public Lease current() {
        Lease latest = current;
        long token = watch.doubts();
        if (latest.token() != token) {
            latest = lease.withToken(token);
            current = latest;
        }
        return latest;
    }

    /** Notes that nobody knows whether a call under the current lease has taken effect. */
    public void answerLost() {
        watch.answerLost();
    }

    /** Renews those locks that are not certain to last for a while yet; marks the holds whose lock is lost. */
    public void secure(List<Hold> holds) {
        long now = owned.now();
        List<Hold> old = new ArrayList<>(0);
        for (Hold hold : holds) {
            if (hold.holder() != null && hold.lockAgeNanos(now) >= tooOldNanos) {
                old.add(hold);
            }
        }
        if (old.isEmpty()) {
            return;
        }
        if (renewing) {
            renew(old);
        } else {
            old.forEach(Hold::renewalMissed);
        }
    }

    /** Returns whether the lock of a hold is certain to last for a while yet, by its age alone. */
    public boolean isCertain(Hold hold) {
        return hold.lockAgeNanos(owned.now()) < tooOldNanos;
    }

    private void renewSoon() {
        try {
            scheduler.execute(this::turn);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "Locks are no longer renewed", e);
        }
    }

    private void turn() {
        try {
            standstill.giveBack();
            List<Hold> old = renewing ? owned.lockedLongerThan(oldNanos) : List.of();
            if (old.isEmpty()) {
                backend.currentTime();
            }
            renewAll(old);
            outage.over();
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
    }

    /**
     * What somebody else has locked comes last, and a batch at a time, as long as some of each batch are not locked any
     * more: the store may wait for a moment to find out, and nobody can take these events over as long.
     */
    private void renewAll(List<Hold> old) {
        locked.retainAll(new HashSet<>(old));
        List<Hold> lockedBefore = List.copyOf(locked);
        for (List<Hold> batch :
                batches(old.stream().filter(hold -> !locked.contains(hold)).toList())) {
            locked.addAll(renew(batch));
        }
        for (List<Hold> batch : batches(lockedBefore)) {
            batch.forEach(locked::remove);
            List<Hold> stillLocked = renew(batch);
            locked.addAll(stillLocked);
            if (stillLocked.size() == batch.size()) {
                return;
            }
        }
    }

    private static List<List<Hold>> batches(List<Hold> holds) {
        List<List<Hold>> batches = new ArrayList<>();
        for (int from = 0; from < holds.size(); from += MAX_BATCH) {
            batches.add(holds.subList(from, Math.min(from + MAX_BATCH, holds.size())));
        }
        return batches;
    }

    /** Returns those that somebody else has locked. */
    private List<Hold> renew(List<Hold> holds) {
        List<Hold> lockedByOthers = new ArrayList<>();
        holds.stream()
                .collect(Collectors.groupingBy(Hold::holder))
                .forEach((holder, part) ->
                        lockedByOthers.addAll(Isolation.run(part, Hold::eventId, some -> renewTogether(holder, some))));
        return lockedByOthers;
    }

    private void renewTogether(String holder, List<Hold> holds) {
        long sentAt = owned.now();
        Set<String> kept =
                backend.renew(holder, holds.stream().map(Hold::eventId).toList());
        for (Hold hold : holds) {
            if (kept.contains(hold.eventId())) {
                hold.renewed(sentAt);
            } else if (hold.renewalMissed()) {
                metrics.incrementFenced(1);
            }
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
