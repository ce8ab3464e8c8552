package io.outbox.admin;

import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Does bulk actions in the background, batch by batch, those of several actions in turn. A batch is a transaction, and after each
 * one the node saves how far it is. That save fails if somebody has cancelled or paused the action, or taken it over because this
 * node was silent for too long: then this node stops. An action with a rate pauses between its batches. What a batch did that is repeated after a take-over is skipped, as is what
 * somebody else has changed in the meantime. The audit log says how an action ended. Thread-safe.
 */
final class BulkRunner implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(BulkRunner.class.getName());

    private static final int BATCH = 100;

    private final BulkJobs jobs;
    private final Operations operations;
    private final Matches.Sources sources;
    private final AuditLog audit;
    private final BulkJob.Owner self;
    private final Duration silence;
    private final boolean isShared;
    private final Clock clock;
    private final ScheduledExecutorService worker =
            Executors.newSingleThreadScheduledExecutor(new DaemonThreadFactory("outbox-bulk-"));
    private final AtomicBoolean isAsked = new AtomicBoolean();
    private volatile boolean isClosing;

    /** Where actions are shared, those that this node leaves behind are finished by others. */
    BulkRunner(
            BulkJobs jobs,
            Operations operations,
            Matches.Sources sources,
            AuditLog audit,
            Membership membership,
            Clock clock) {
        this.jobs = jobs;
        this.operations = operations;
        this.sources = sources;
        this.audit = audit;
        Member member = membership.member();
        this.self = new BulkJob.Owner(member.id(), member.name());
        this.silence = member.pace().silence();
        this.isShared = membership.isShared();
        this.clock = clock;
    }

    /** Looks for actions that nobody has in hand, unless it is about to. */
    void wake() {
        if (isAsked.compareAndSet(false, true)) {
            try {
                worker.execute(this::takeAll);
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "This node is stopping; other nodes run the waiting actions", e);
            }
        }
    }

    private void takeAll() {
        isAsked.set(false);
        try {
            for (BulkJobs.Stored stored : jobs.open()) {
                boolean isFree = stored.job().owner() == null || stored.isUntouchedFor(silence);
                if (!isClosing
                        && isFree
                        && canDo(stored.job())
                        && jobs.save(stored, stored.job().takenBy(self))) {
                    jobs.find(stored.job().order().id()).ifPresent(this::begin);
                }
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "Cannot look for bulk actions; a node tries again in a minute", e);
        }
    }

    /** What waits is changed only by nodes that know what is in delivery; others leave such actions to them. */
    private boolean canDo(BulkJob job) {
        return job.order().action().kind() == Action.Kind.DEAD
                || operations.waiting().isPossible();
    }

    private void begin(BulkJobs.Stored taken) {
        BulkJob job = taken.job();
        try {
            step(taken, sources.of(job.order().action(), job.order().filter()));
        } catch (RuntimeException | Error e) {
            fail(job, e);
        }
    }

    /** Does one batch, and leaves the worker to other actions before the next: a slow one holds up nobody. */
    private void step(BulkJobs.Stored current, Matches matches) {
        BulkJob job = current.job();
        if (job.isCancelled()) {
            end(current, job, BulkJob.State.CANCELLED);
            return;
        }
        if (isClosing) {
            leave(current, job);
            return;
        }
        long begin = System.nanoTime();
        Matches.Batch batch = matches.next(job.progress().cursor(), batchSize(job));
        BulkJobs.Stored reached = saved(current, job.at(done(job, batch)));
        if (reached == null) {
            LOG.log(
                    Level.INFO,
                    "Another node continues bulk action {0}",
                    job.order().id());
        } else if (reached.job().isPaused()) {
            LOG.log(Level.DEBUG, "Bulk action {0} is paused", job.order().id());
        } else if (reached.job().progress().cursor() == null) {
            end(reached, reached.job(), BulkJob.State.DONE);
        } else {
            later(reached, matches, pauseNanos(job, batch.ids().size()) - (System.nanoTime() - begin));
        }
    }

    /** A batch takes no longer than a second at its rate, so that each save is a sign of life. */
    private static int batchSize(BulkJob job) {
        Integer perSecond = job.order().perSecond();
        return perSecond == null ? BATCH : Math.min(BATCH, perSecond);
    }

    private static long pauseNanos(BulkJob job, int events) {
        Integer perSecond = job.order().perSecond();
        return perSecond == null ? 0 : TimeUnit.SECONDS.toNanos(events) / perSecond;
    }

    private void later(BulkJobs.Stored current, Matches matches, long nanos) {
        try {
            worker.schedule(() -> guarded(current, matches), Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            leave(current, current.job());
        }
    }

    private void guarded(BulkJobs.Stored current, Matches matches) {
        try {
            // read again for a rate so slow that it was cancelled, paused or taken over since
            BulkJobs.Stored newest = current.job().order().perSecond() == null ? current : mine(current.job());
            if (newest != null && !newest.job().isPaused()) {
                step(newest, matches);
            }
        } catch (RuntimeException | Error e) {
            fail(current.job(), e);
        }
    }

    private void fail(BulkJob job, Throwable e) {
        LOG.log(
                Level.ERROR,
                "A bulk action failed after " + job.progress().done() + " events; what it has done stands",
                e);
        Optional.ofNullable(mine(job)).ifPresent(current -> end(current, current.job(), BulkJob.State.FAILED));
    }

    private BulkJob.Progress done(BulkJob job, Matches.Batch batch) {
        Caller caller = new Caller(job.order().by(), Set.of(Role.OPERATE));
        Action.Done done = job.order().action().applyToEach(operations, batch.ids(), caller);
        return new BulkJob.Progress(
                job.progress().done() + done.count(),
                job.progress().skipped() + done.skipped().size(),
                batch.next());
    }

    /** Saves how far it is, also if it was cancelled meanwhile; returns {@code null} if this node has it no more. */
    private BulkJobs.Stored saved(BulkJobs.Stored known, BulkJob job) {
        BulkJobs.Stored current = known;
        BulkJob reached = job;
        while (!jobs.save(current, reached)) {
            current = mine(job);
            if (current == null) {
                return null;
            }
            reached = current.job().at(job.progress());
        }
        return mine(job);
    }

    private BulkJobs.Stored mine(BulkJob job) {
        return jobs.find(job.order().id())
                .filter(stored ->
                        !stored.job().isOver() && self.equals(stored.job().owner()))
                .orElse(null);
    }

    /** Leaves the rest to other nodes, or ends it where there can be none. */
    private void leave(BulkJobs.Stored current, BulkJob job) {
        if (isShared) {
            jobs.save(current, job.released());
        } else {
            end(current, job, BulkJob.State.CANCELLED);
        }
    }

    private void end(BulkJobs.Stored current, BulkJob job, BulkJob.State state) {
        recordEnd(job, state);
        jobs.save(current, job.ended(state, clock.instant()));
    }

    /** Ends an action that nobody has in hand; returns whether that was so. */
    boolean endIdle(BulkJobs.Stored stored) {
        BulkJob job = stored.job();
        boolean isEnded = (job.owner() == null || job.isPaused())
                && jobs.save(stored, job.cancelled().ended(BulkJob.State.CANCELLED, clock.instant()));
        if (isEnded) {
            recordEnd(job, BulkJob.State.CANCELLED);
        }
        return isEnded;
    }

    private void recordEnd(BulkJob job, BulkJob.State state) {
        audit.recordOutcome(
                new Caller(job.order().by(), Set.of(Role.OPERATE)),
                job.order().action() + "-all-" + state.name().toLowerCase(Locale.ROOT),
                job.progress().done() + " events, and " + job.progress().skipped() + " skipped",
                job.order().detail());
    }

    /** Leaves the action that is under way after its current batch, and waits for that for a while. */
    @Override
    public void close() {
        isClosing = true;
        worker.shutdown();
        try {
            worker.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
