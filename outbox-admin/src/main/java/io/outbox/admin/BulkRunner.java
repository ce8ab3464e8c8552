package io.outbox.admin;

import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Does bulk actions in the background, one after the other, each in batches. A batch is a transaction, and after each one the
 * node saves how far it is. That save fails if somebody has cancelled the action, or taken it over because this node was
 * silent for too long: then this node stops. What a batch did that is repeated after a take-over is skipped, as is what
 * somebody else has changed in the meantime. The audit log says how an action ended. Thread-safe.
 */
final class BulkRunner implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(BulkRunner.class.getName());

    private final BulkJobs jobs;
    private final DeadEvents dead;
    private final AuditLog audit;
    private final BulkJob.Owner self;
    private final Duration silence;
    private final boolean isShared;
    private final Clock clock;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(new DaemonThreadFactory("outbox-bulk-"));
    private final AtomicBoolean isAsked = new AtomicBoolean();
    private volatile boolean isClosing;

    /** Where actions are shared, those that this node leaves behind are finished by others. */
    BulkRunner(BulkJobs jobs, DeadEvents dead, AuditLog audit, Membership membership, Clock clock) {
        this.jobs = jobs;
        this.dead = dead;
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
                worker.execute(this::runAll);
            } catch (RejectedExecutionException e) {
                LOG.log(Level.DEBUG, "This node stops, so others do what waits", e);
            }
        }
    }

    private void runAll() {
        isAsked.set(false);
        try {
            for (Optional<BulkJobs.Stored> next = take(); next.isPresent() && !isClosing; next = take()) {
                run(next.get());
            }
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "Bulk actions cannot be looked for; a node does so again in a minute", e);
        }
    }

    /** Takes the oldest action that nobody has in hand. */
    private Optional<BulkJobs.Stored> take() {
        for (BulkJobs.Stored stored : jobs.open()) {
            boolean isFree = stored.job().owner() == null || stored.isUntouchedFor(silence);
            if (!isClosing && isFree && jobs.save(stored, stored.job().takenBy(self))) {
                return jobs.find(stored.job().order().id());
            }
        }
        return Optional.empty();
    }

    private void run(BulkJobs.Stored taken) {
        BulkJob job = taken.job();
        try {
            BulkJobs.Stored current = taken;
            Matches matches = Matches.of(job.order().filter(), dead.events());
            do {
                if (job.isCancelled()) {
                    end(current, job, BulkJob.State.CANCELLED);
                    return;
                }
                if (isClosing) {
                    leave(current, job);
                    return;
                }
                Matches.Batch batch = matches.next(job.progress().cursor());
                job = job.at(done(job, batch));
                current = saved(current, job);
                if (current == null) {
                    LOG.log(
                            Level.INFO,
                            "Another node goes on with bulk action {0}",
                            job.order().id());
                    return;
                }
                job = current.job();
            } while (job.progress().cursor() != null);
            end(current, job, BulkJob.State.DONE);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    Level.ERROR,
                    "A bulk action failed after " + job.progress().done() + " events; what it has done stands",
                    e);
            BulkJob failed = job;
            Optional.ofNullable(mine(job)).ifPresent(current -> end(current, failed, BulkJob.State.FAILED));
        }
    }

    private BulkJob.Progress done(BulkJob job, Matches.Batch batch) {
        long skipped = skipped(job, batch.ids());
        return new BulkJob.Progress(
                job.progress().done() + batch.ids().size() - skipped,
                job.progress().skipped() + skipped,
                batch.next());
    }

    /** Does it to all of these events, and returns how many were skipped. */
    private long skipped(BulkJob job, List<String> ids) {
        if (ids.isEmpty()) {
            return 0;
        }
        try {
            Caller caller = new Caller(job.order().by(), Set.of(Role.OPERATE));
            job.order().action().apply(dead, ids, caller);
            return 0;
        } catch (Problem e) {
            return ids.size() == 1
                    ? 1
                    : new ArrayList<>(ids)
                            .stream().mapToLong(id -> skipped(job, List.of(id))).sum();
        }
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

    /** Ends an action that nobody has begun; returns whether that was so. */
    boolean endUnbegun(BulkJobs.Stored stored) {
        BulkJob job = stored.job();
        boolean isEnded = job.owner() == null
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
