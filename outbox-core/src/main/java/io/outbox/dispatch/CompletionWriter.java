package io.outbox.dispatch;

import io.outbox.model.EventStatus;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * Makes outcomes durable, in batches that form by themselves.
 *
 * <p>Workers put outcomes into a bounded queue; one thread writes whatever has accumulated since its previous write
 * began: a single row at low load, at once, and hundreds at high load. In between, where a fast database would get a
 * commit for every few rows, it pauses after a write of several, so that the next is worth its commit: those commits
 * would compete with the application's. While the store is down the thread keeps its batch and tries again, the queue
 * fills, and workers stall on it, so memory stays bounded and nothing is lost. An event is counted, and its hold closed,
 * only once its outcome is durable; a single outcome that the store refuses, while it takes others, is given up.
 *
 * <p>Holds that are given up without an outcome pass through here too, since their locks are released in the store.
 */
final class CompletionWriter {

    private static final System.Logger LOG = System.getLogger(CompletionWriter.class.getName());
    /** Says that events of any type may be due. */
    static final String ANY_TYPE = null;

    private static final int CAPACITY = 2048;
    private static final int MAX_BATCH = 512;
    /** Outcomes in one write that show that there is load. */
    private static final int SEVERAL = 4;
    /** Outcomes waiting that are worth a commit without a pause. */
    private static final int ENOUGH = 128;

    /** Failures in a row after which a batch is written singly, since one outcome in it may be what the store refuses. */
    private static final int SUSPICIOUS = 3;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long FIRST_BACKOFF_MS = 50;
    private static final long MAX_BACKOFF_MS = 2_000;

    private final OutboxBackend backend;
    private final OwnedEvents owned;
    private final MetricsExporter metrics;
    private final BiConsumer<String, Instant> dueAgain;
    private final BlockingQueue<Completion> completions = new ArrayBlockingQueue<>(CAPACITY);
    private final ConcurrentLinkedQueue<OwnedEvents.Hold> releases = new ConcurrentLinkedQueue<>();
    private final Semaphore work = new Semaphore(0);
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean stopped;
    private volatile long giveUpAtNanos;

    CompletionWriter(
            OutboxBackend backend, OwnedEvents owned, MetricsExporter metrics, BiConsumer<String, Instant> dueAgain) {
        this.backend = backend;
        this.owned = owned;
        this.metrics = metrics;
        this.dueAgain = dueAgain;
        this.thread = new DaemonThreadFactory("outbox-completion-").newThread(this::run);
    }

    private record Completion(Delivery delivery, Outcome outcome) {}

    /** Starts the writer's thread, unless it runs already. */
    void start() {
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        }
    }

    /** Hands over an outcome; waits while the queue is full. */
    void submit(Delivery delivery, Outcome outcome) {
        Completion completion = new Completion(delivery, outcome);
        boolean interrupted = false;
        while (true) {
            try {
                if (completions.offer(completion, MAX_BACKOFF_MS, TimeUnit.MILLISECONDS)) {
                    work.release();
                    flushIfStopped();
                    break;
                }
                if (closingTimedOut()) {
                    break;
                }
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives an event up: releases its lock in the store, if it has one, and closes the hold. Never waits while open. */
    void release(OwnedEvents.Hold hold) {
        if (hold.ownerId() == null) {
            close(hold);
            return;
        }
        releases.add(hold);
        work.release();
        flushIfStopped();
    }

    /** Writes what comes after the end, of a listener that outlived it, unless the store still does not answer. */
    private void flushIfStopped() {
        if (stopped && !thread.isAlive()) {
            flush();
        }
    }

    /** Lets go of an event that another node has taken over. */
    void drop(OwnedEvents.Hold hold) {
        close(hold);
    }

    private void close(OwnedEvents.Hold hold) {
        OwnedEvents.Hold unwantedClaim = owned.close(hold);
        if (unwantedClaim != null) {
            release(unwantedClaim);
        }
    }

    /** Writes everything handed over so far on the calling thread, while the writer's own thread does not run. */
    synchronized void flush() {
        while (writeNext() > 0) {
            work.drainPermits();
        }
    }

    /** Writes what is left, for at most the given time, and stops. */
    void close(Duration timeout) {
        giveUpAtNanos = System.nanoTime() + timeout.toNanos();
        closing = true;
        work.release();
        try {
            thread.join(timeout.plusMillis(MAX_BACKOFF_MS).toMillis());
            thread.interrupt();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
        stopped = true;
        if (thread.isAlive()) {
            LOG.log(Level.WARNING, "The store does not answer; what it was not told is delivered again later");
        } else {
            flush();
        }
    }

    private void run() {
        while (!closing) {
            work.acquireUninterruptibly();
            try {
                writeAll();
            } catch (RuntimeException | Error e) {
                LOG.log(Level.ERROR, "The completion of events failed outside of the store; it carries on", e);
                work.release();
            }
        }
    }

    private void writeAll() {
        for (int written; (written = writeNext()) > 0; ) {
            work.drainPermits();
            if (written >= SEVERAL && completions.size() < ENOUGH && !closing) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Writes one batch; returns how many outcomes and releases were in it. */
    private synchronized int writeNext() {
        List<Completion> batch = new ArrayList<>();
        completions.drainTo(batch, MAX_BATCH);
        List<OwnedEvents.Hold> given = new ArrayList<>();
        for (OwnedEvents.Hold hold; given.size() < MAX_BATCH && (hold = releases.poll()) != null; ) {
            given.add(hold);
        }
        byOwner(batch, completion -> completion.delivery().hold().ownerId()).forEach(this::writeUntilDurable);
        byOwner(given, OwnedEvents.Hold::ownerId).forEach(this::releaseUntilDone);
        return batch.size() + given.size();
    }

    private static <T> Map<String, List<T>> byOwner(List<T> items, Function<T, String> owner) {
        Map<String, List<T>> groups = new LinkedHashMap<>();
        for (T item : items) {
            groups.computeIfAbsent(owner.apply(item), key -> new ArrayList<>()).add(item);
        }
        return groups;
    }

    private void writeUntilDurable(String ownerId, List<Completion> batch) {
        List<Outcome> left = new ArrayList<>();
        batch.forEach(completion -> left.add(completion.outcome()));
        Map<String, EventStatus> applied = new HashMap<>();
        boolean written = untilDone("write the outcomes of " + batch.size() + " events", failures -> {
            if (failures < SUSPICIOUS) {
                applied.putAll(backend.apply(ownerId, left));
            } else {
                writeSingly(ownerId, left, applied);
            }
        });
        if (written) {
            metrics.recordCompletionBatchSize(batch.size());
            batch.forEach(completion ->
                    count(completion, applied.get(completion.outcome().eventId())));
        }
        batch.forEach(completion -> close(completion.delivery().hold()));
        batch.forEach(this::announce);
    }

    /**
     * Writes outcomes one by one. If the store takes some, it is not down, and those few that it does not take are given
     * up, so that they hold up no other. If it refuses the first, or several in a row, it may be down; the next time
     * another one comes first.
     */
    private void writeSingly(String ownerId, List<Outcome> left, Map<String, EventStatus> applied) {
        Collections.rotate(left, 1);
        applied.putAll(writeAlone(ownerId, left.get(0)));
        left.remove(0);
        List<Outcome> refused = new ArrayList<>();
        for (Outcome outcome : List.copyOf(left)) {
            try {
                applied.putAll(writeAlone(ownerId, outcome));
                left.remove(outcome);
            } catch (RuntimeException e) {
                refused.add(outcome);
                if (refused.size() == SUSPICIOUS) {
                    throw e;
                }
                continue;
            }
            giveUp(ownerId, refused, left);
        }
        giveUp(ownerId, refused, left);
    }

    private void giveUp(String ownerId, List<Outcome> refused, List<Outcome> left) {
        for (Outcome outcome : refused) {
            LOG.log(Level.ERROR, "The store refuses an outcome, so the event is delivered again: {0}", outcome);
            if (ownerId != null) {
                backend.release(ownerId, List.of(outcome.eventId()));
            }
        }
        left.removeAll(refused);
        refused.clear();
    }

    /** Writes one outcome; if the store refuses it, without the characters that a database may not know. */
    private Map<String, EventStatus> writeAlone(String ownerId, Outcome outcome) {
        try {
            return backend.apply(ownerId, List.of(outcome));
        } catch (RuntimeException e) {
            Outcome plain = inPlainText(outcome);
            if (plain.equals(outcome)) {
                throw e;
            }
            return backend.apply(ownerId, List.of(plain));
        }
    }

    private static Outcome inPlainText(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return new Outcome.Failed(
                    failed.eventId(),
                    failed.retryAt(),
                    failed.attempts(),
                    failed.maxAttempts(),
                    inPlainText(failed.error()));
        }
        return outcome instanceof Outcome.Dead dead
                ? new Outcome.Dead(dead.eventId(), inPlainText(dead.error()))
                : outcome;
    }

    private static String inPlainText(String error) {
        return error == null ? null : error.replaceAll("[^\\x20-\\x7E\\n\\t]", "?");
    }

    private void releaseUntilDone(String ownerId, List<OwnedEvents.Hold> holds) {
        List<String> ids = holds.stream().map(hold -> hold.eventId).toList();
        untilDone("release " + ids.size() + " events", failures -> backend.release(ownerId, ids));
        holds.forEach(this::close);
        dueAgain.accept(ANY_TYPE, Instant.MIN);
    }

    /** Repeats the action, told how often it has failed, until it succeeds or closing leaves no time for it. */
    private boolean untilDone(String what, IntConsumer action) {
        long backoffMs = FIRST_BACKOFF_MS;
        for (int failures = 0; ; ) {
            try {
                action.accept(failures);
                return true;
            } catch (RuntimeException | Error e) {
                Level level = failures++ == 0 ? Level.WARNING : Level.DEBUG;
                LOG.log(level, "Cannot " + what + "; trying again until the store accepts them", e);
            }
            if (closingTimedOut() || Thread.currentThread().isInterrupted()) {
                LOG.log(Level.WARNING, "Gave up to " + what + " on close; those events are delivered again later");
                return false;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(backoffMs));
            backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
        }
    }

    private boolean closingTimedOut() {
        return closing && System.nanoTime() - giveUpAtNanos >= 0;
    }

    private void count(Completion completion, EventStatus status) {
        Outcome outcome = completion.outcome();
        String eventType = completion.delivery().event().envelope().eventType();
        if (status != null) {
            metrics.recordOutcome(eventType, status);
        }
        if (status == null) {
            metrics.incrementFenced(1);
            LOG.log(
                    Level.WARNING,
                    "The outcome of event {0} was refused: it has another owner or has ended",
                    outcome.eventId());
        } else if (status == EventStatus.DONE) {
            metrics.incrementDispatchSuccess();
        } else if (status == EventStatus.DEAD) {
            metrics.incrementDispatchDead();
            LOG.log(Level.ERROR, "Event {0} of type {1} is DEAD: {2}", outcome.eventId(), eventType, reason(outcome));
        } else if (outcome instanceof Outcome.Deferred) {
            metrics.incrementDispatchDeferred();
        } else {
            metrics.incrementDispatchFailure();
        }
    }

    private void announce(Completion completion) {
        String eventType = completion.delivery().event().envelope().eventType();
        if (completion.outcome() instanceof Outcome.Deferred deferred) {
            dueAgain.accept(eventType, deferred.until());
        } else if (completion.outcome() instanceof Outcome.Failed failed) {
            dueAgain.accept(eventType, failed.retryAt());
        }
    }

    private static String reason(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return "attempts used up (" + failed.maxAttempts() + "), last error: " + failed.error();
        }
        return outcome instanceof Outcome.Dead dead ? dead.error() : outcome.toString();
    }
}
