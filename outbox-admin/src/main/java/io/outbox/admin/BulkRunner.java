package io.outbox.admin;

import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Does bulk actions in the background, batch by batch, those of several actions in turn. A batch is a transaction, and
 * after each one the node saves how far it is. Before each one it reads the action again, and stops if somebody has
 * cancelled or paused it, or has taken it over because this node was silent for too long. What a batch did that is
 * repeated after a take-over is skipped, as is what somebody else has changed in the meantime. The audit log says how
 * an action ended. Thread-safe.
 *
 * <p>Each time that a node takes an action, it does so under a new id of an owner. So an action that was paused and
 * resumed while its next batch was scheduled goes on once, by whoever took it after that, and the scheduled batch is
 * not done. An action with a rate rests between its batches, and before the first one after it was taken over or
 * resumed.
 */
final class BulkRunner implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(BulkRunner.class.getName());

    private static final int BATCH = 100;

    private final BulkJobs jobs;
    private final Operations operations;
    private final Matches.Sources sources;
    private final AuditLog audit;
    private final Member member;
    private final String node;
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
        this.member = membership.member();
        this.node = member.name();
        this.silence = member.pace().silence();
        this.isShared = membership.isShared();
        this.clock = clock;
    }

    /** Begins an action that was just ordered or resumed; if this node cannot run it, calls others that can. */
    void begin(BulkJob ordered) {
        wake();
        if (!canDo(ordered)) {
            member.callOthers();
        }
    }

    /** Looks for actions that no node has, unless it is about to. */
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
                BulkJob taken =
                        stored.job().takenBy(new BulkJob.Owner(UUID.randomUUID().toString(), node));
                if (!isClosing && isFree && canDo(taken) && jobs.save(stored, taken)) {
                    start(taken);
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

    private void start(BulkJob job) {
        try {
            Matches matches = sources.of(job.order().action(), job.order().filter());
            boolean isBegun = job.progress().cursor() != null;
            later(job, matches, isBegun ? restNanos(job, batchSize(job)) : 0);
        } catch (RuntimeException | Error e) {
            fail(job, e);
        }
    }

    /** Does one batch, and leaves the worker to other actions before the next: a slow one holds up nobody. */
    private void step(BulkJobs.Stored current, Matches matches) {
        BulkJob job = current.job();
        if (job.isCancelled()) {
            end(current, BulkJob.State.CANCELLED);
            return;
        }
        if (job.isPaused()) {
            rest(current, matches);
            return;
        }
        if (isClosing) {
            leave(current);
            return;
        }
        long begin = System.nanoTime();
        Matches.Batch batch = matches.next(job.progress().cursor(), batchSize(job));
        BulkJobs.Stored reached = saved(current, done(job, batch), batch.next());
        if (reached == null) {
            LOG.log(
                    Level.INFO,
                    "Bulk action {0} has ended, or continues on another node",
                    job.order().id());
        } else if (reached.job().progress().cursor() == null) {
            end(reached, BulkJob.State.DONE);
        } else if (reached.job().isCancelled()) {
            end(reached, BulkJob.State.CANCELLED);
        } else if (reached.job().isPaused()) {
            rest(reached, matches);
        } else {
            later(reached.job(), matches, restNanos(job, batch.ids().size()) - (System.nanoTime() - begin));
        }
    }

    /** Leaves an action that is paused to whoever takes it when it is resumed, unless it changed at the same moment. */
    private void rest(BulkJobs.Stored paused, Matches matches) {
        if (!jobs.save(paused, paused.job().released())) {
            later(paused.job(), matches, 0);
        }
    }

    /** A batch takes no longer than a second at its rate, so that each save is a sign of life. */
    private static int batchSize(BulkJob job) {
        Integer perSecond = job.order().perSecond();
        return perSecond == null ? BATCH : Math.min(BATCH, perSecond);
    }

    private static long restNanos(BulkJob job, int events) {
        Integer perSecond = job.order().perSecond();
        return perSecond == null ? 0 : TimeUnit.SECONDS.toNanos(events) / perSecond;
    }

    private void later(BulkJob job, Matches matches, long nanos) {
        try {
            worker.schedule(() -> guarded(job, matches), Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            find(job).ifPresent(this::leave);
        }
    }

    private void guarded(BulkJob job, Matches matches) {
        try {
            find(job).ifPresent(current -> step(current, matches));
        } catch (RuntimeException | Error e) {
            fail(job, e);
        }
    }

    private void fail(BulkJob job, Throwable e) {
        LOG.log(
                Level.ERROR,
                "A bulk action failed after " + job.progress().done() + " events; what it has done stands",
                e);
        find(job).ifPresent(current -> end(current, BulkJob.State.FAILED));
    }

    private Action.Done done(BulkJob job, Matches.Batch batch) {
        Caller caller = new Caller(job.order().by(), Set.of(Role.OPERATE));
        return job.order().action().applyToEach(operations, batch.ids(), caller);
    }

    /**
     * Saves what a batch did, whatever has become of the action meanwhile; returns {@code null} if this node has it no
     * more.
     */
    private BulkJobs.Stored saved(BulkJobs.Stored begun, Action.Done batch, String next) {
        BulkJobs.Stored current = begun;
        while (!jobs.save(current, current.job().after(begun.job(), batch, next))) {
            current = unfinished(begun.job()).orElse(null);
            if (current == null) {
                return null;
            }
        }
        return find(begun.job()).orElse(null);
    }

    /** Returns the newest state of an action, unless it is over or has another owner. */
    private Optional<BulkJobs.Stored> find(BulkJob job) {
        return unfinished(job).filter(stored -> job.owner().equals(stored.job().owner()));
    }

    private Optional<BulkJobs.Stored> unfinished(BulkJob job) {
        return jobs.find(job.order().id()).filter(stored -> !stored.job().isOver());
    }

    /** Leaves the rest to other nodes, or ends it where there can be none. */
    private void leave(BulkJobs.Stored current) {
        if (isShared) {
            jobs.save(current, current.job().released());
            member.callOthers();
        } else {
            end(current, BulkJob.State.CANCELLED);
        }
    }

    /** Ends an action, also if somebody pauses, resumes or cancels it at the same moment. */
    private void end(BulkJobs.Stored reached, BulkJob.State state) {
        recordEnd(reached.job(), state);
        Optional<BulkJobs.Stored> current = Optional.of(reached);
        while (current.isPresent()
                && !jobs.save(current.get(), current.get().job().ended(state, clock.instant()))) {
            current = unfinished(reached.job()).filter(stored -> isFreeOrOf(reached.job(), stored));
        }
    }

    private static boolean isFreeOrOf(BulkJob job, BulkJobs.Stored stored) {
        return stored.job().owner() == null || job.owner().equals(stored.job().owner());
    }

    /** Ends an action that no node works on; returns whether that was so. */
    boolean endIdle(BulkJobs.Stored stored) {
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
