package io.outbox.dispatch;

import io.outbox.spi.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Keeps this node's locks in a shared store alive for as long as it holds the events, however long a listener runs.
 *
 * <p>Locks are renewed well before they run out. The age of a lock is measured on this JVM's monotonic clock: from before
 * a renewal is sent, and for a new lock from when the statement that took it has returned. A worker must not start on an
 * event whose lock is nearly out of time: it renews it first, and lets go of the event if another node has it by now.
 */
final class LeaseKeeper implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());
    private static final int MAX_BATCH = 512;

    private final Lease lease;
    private final OutboxBackend backend;
    private final OwnedEvents owned;
    private final MetricsExporter metrics;
    private final ScheduledExecutorService scheduler =
            Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-lease-"));
    private boolean failing;

    LeaseKeeper(Lease lease, OutboxBackend backend, OwnedEvents owned, MetricsExporter metrics) {
        this.lease = lease;
        this.backend = backend;
        this.owned = owned;
        this.metrics = metrics;
        long period = Math.max(1, lease.duration().toNanos() / 6);
        scheduler.scheduleWithFixedDelay(this::renewOldLocks, period, period, TimeUnit.NANOSECONDS);
    }

    Lease lease() {
        return lease;
    }

    /** Renews those locks that are not certain to last for a while yet; marks the holds whose lock is lost. */
    void secure(List<OwnedEvents.Hold> holds) {
        long limit = lease.duration().toNanos() / 3 * 2;
        renew(holds.stream()
                .filter(hold -> hold.ownerId() != null && hold.lockAgeNanos() >= limit)
                .toList());
    }

    private void renewOldLocks() {
        try {
            Collection<OwnedEvents.Hold> old =
                    owned.lockedLongerThan(lease.duration().toNanos() / 3);
            List<OwnedEvents.Hold> batch = new ArrayList<>();
            for (OwnedEvents.Hold hold : old) {
                batch.add(hold);
                if (batch.size() == MAX_BATCH) {
                    renew(batch);
                    batch.clear();
                }
            }
            renew(batch);
            failing = false;
        } catch (RuntimeException | Error e) {
            LOG.log(
                    failing ? Level.DEBUG : Level.WARNING,
                    "Cannot renew locks; if this lasts, other nodes take the events over",
                    e);
            failing = true;
        }
    }

    private void renew(List<OwnedEvents.Hold> holds) {
        if (holds.isEmpty()) {
            return;
        }
        long sentAt = System.nanoTime();
        Set<String> kept = backend.renew(
                lease.ownerId(), holds.stream().map(hold -> hold.eventId).toList());
        for (OwnedEvents.Hold hold : holds) {
            if (kept.contains(hold.eventId)) {
                hold.renewed(sentAt);
            } else if (hold.lost()) {
                metrics.incrementFenced(1);
            }
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }
}
