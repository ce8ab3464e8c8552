package io.outbox.admin;

import io.outbox.model.Tally;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An action on all events that match, done in batches in the background. Each batch is a transaction. What somebody else has
 * changed in the meantime is skipped. The audit log says how it ended. Thread-safe.
 */
final class BulkJob implements Runnable {

    private static final System.Logger LOG = System.getLogger(BulkJob.class.getName());

    /** What has become of it. */
    enum State {
        QUEUED,
        RUNNING,
        DONE,
        CANCELLED,
        FAILED
    }

    /** What is to be done, to what, and by whom. */
    record Order(String id, Action action, Matches matches, Tally expected, Caller caller) {}

    private final Order order;
    private final DeadEvents dead;
    private final AuditLog audit;
    private final Clock clock;
    private final Instant createdAt;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong skipped = new AtomicLong();
    private volatile State state = State.QUEUED;
    private volatile boolean cancelled;
    private volatile Instant finishedAt;

    BulkJob(Order order, DeadEvents dead, AuditLog audit, Clock clock) {
        this.order = order;
        this.dead = dead;
        this.audit = audit;
        this.clock = clock;
        this.createdAt = clock.instant();
    }

    String id() {
        return order.id;
    }

    /** Returns what the audit log has in all its entries of this. */
    String detail() {
        return order.id + " " + order.matches.json();
    }

    boolean isFinished() {
        return finishedAt != null;
    }

    /** Ends it after the batch that is under way. */
    void cancel() {
        cancelled = true;
    }

    @Override
    public void run() {
        state = State.RUNNING;
        try {
            String after = null;
            do {
                if (cancelled) {
                    finish(State.CANCELLED);
                    return;
                }
                Matches.Batch batch = order.matches.next(after);
                apply(batch.ids());
                after = batch.next();
            } while (after != null);
            finish(State.DONE);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "A bulk action failed after " + done.get() + " events; what it has done stands", e);
            finish(State.FAILED);
        }
    }

    private void apply(List<String> ids) {
        if (ids.isEmpty()) {
            return;
        }
        try {
            order.action.apply(dead, ids, order.caller);
            done.addAndGet(ids.size());
        } catch (Problem e) {
            if (ids.size() == 1) {
                skipped.incrementAndGet();
                return;
            }
            for (String id : new ArrayList<>(ids)) {
                apply(List.of(id));
            }
        }
    }

    private void finish(State end) {
        audit.recordOutcome(
                order.caller,
                order.action + "-all-" + end.name().toLowerCase(Locale.ROOT),
                done.get() + " events, and " + skipped.get() + " skipped",
                detail());
        state = end;
        finishedAt = clock.instant();
    }

    Views.BulkAction view() {
        return new Views.BulkAction(
                order.id,
                order.action,
                state,
                order.caller.name(),
                order.expected.count(),
                order.expected.exact(),
                done.get(),
                skipped.get(),
                createdAt,
                finishedAt);
    }
}
