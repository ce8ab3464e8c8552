package io.outbox.dead;

import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadLetterBackend;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.MetricsExporter;
import io.outbox.upkeep.Chores;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The dead letter queue of an outbox: dead events that are stored separately, and the scheduled work on them.
 * Thread-safe.
 *
 * <p>The scheduled work logs failures of the store and tries again. {@link #start()} starts it, on one thread;
 * {@link io.outbox.Outbox} does so for its own. The handler has a thread of its own.
 */
public final class DeadLetterQueue extends DeadEventOperations implements AutoCloseable {

    /** They are read with their payloads. */
    private static final int CANCELLED_AT_A_TIME = 50;

    private static final System.Logger LOG = System.getLogger(DeadLetterQueue.class.getName());

    /** How long a scheduled transfer waits with a batch for a handler that is behind. */
    private static final Duration SWEEP_PATIENCE = Duration.ofSeconds(1);

    private final DeadLetterBackend backend;
    private final DeadLetterPolicy policy;
    private final EngineMetrics metrics;
    private final HandlerQueue handler;
    private final Chores chores = new Chores("dead letter queue", "outbox-dlq-");
    private final Outage moves = outage("move dead events to the dead letter queue");
    private final Outage returns = outage("return events to the outbox");
    private final Outage letterCleanUps = outage("clean up dead letters");
    private final Outage attemptCleanUps = outage("clean up failed attempts");

    /** @param onReturn run after events were returned to the outbox, so that a poller need not wait for its interval */
    public DeadLetterQueue(
            DeadLetterBackend backend, DeadLetterPolicy policy, MetricsExporter metrics, Runnable onReturn) {
        super(backend, onReturn);
        this.backend = backend;
        this.policy = Objects.requireNonNull(policy, "policy");
        this.metrics = new EngineMetrics(metrics);
        this.handler = new HandlerQueue(policy.handler());
    }

    // What operators see of letters

    /** Returns letters by their position, oldest first, of one state or of all. */
    public List<DeadLetter> list(@Nullable DlqStatus status, long offset, int limit) {
        return backend.list(status, offset, limit);
    }

    /** Returns the ids of the same letters, without reading their payloads. */
    public List<String> listIds(@Nullable DlqStatus status, long offset, int limit) {
        return backend.listIds(status, offset, limit);
    }

    /** Counts letters by type and state. */
    public List<DeadLetterCount> counts() {
        return backend.counts();
    }

    /** Counts letters, of one state or of all, of one type or of all. */
    public long count(@Nullable DlqStatus status, @Nullable String eventType) {
        return backend.count(status, eventType);
    }

    // What operators do

    /**
     * Approves MOVED letters for another round: they return to the outbox immediately, with the same id and time of
     * creation and all their attempts; or wait as TO_RETRY for a schedule, if the policy has one.
     *
     * @throws io.outbox.DuplicateEventException if the outbox has an event with one of the ids; nothing is changed
     */
    @Override
    public DeadLetterChange retry(Collection<String> eventIds, String by) {
        if (policy.returnsAtOnce()) {
            long begin = System.nanoTime();
            metrics.returnAttempted(eventIds.size());
            DeadLetterChange change = backend.returnToOutbox(eventIds);
            count(change.changed(), DlqStatus.TO_RETRY);
            returned(change.changed(), begin);
            return change;
        }
        DeadLetterChange change = backend.change(eventIds, DlqStatus.TO_RETRY, by);
        count(change.changed(), DlqStatus.TO_RETRY);
        return change;
    }

    /** Changes MOVED letters to TO_RETRY, as {@link #retry}, or RESOLVED, as {@link #resolve}. */
    public DeadLetterChange change(Collection<String> eventIds, DlqStatus status, String by) {
        return switch (status) {
            case TO_RETRY -> retry(eventIds, by);
            case RESOLVED -> resolve(eventIds, by);
            case MOVED, IN_PROCESS ->
                throw new IllegalArgumentException(
                        "A dead letter can be changed to TO_RETRY or RESOLVED, not to " + status);
        };
    }

    @Override
    public DeadLetterChange delete(Collection<String> eventIds) {
        DeadLetterChange change = super.delete(eventIds);
        metrics.incrementDeadLettersDeleted(change.changed().size());
        return change;
    }

    @Override
    public int moveDead(Collection<String> eventIds) {
        long begin = System.nanoTime();
        List<OutboxEvent> events = backend.moveDead(eventIds);
        if (!events.isEmpty()) {
            moved(events, Duration.ofMillis(millisSince(begin)));
        }
        return events.size();
    }

    // What goes on by itself

    /** Starts the scheduled work, unless it runs already. */
    public void start() {
        chores.start(() -> {
            schedule(policy.sweep(), this::moveDead);
            schedule(policy.giveBack(), this::returnApproved);
            DeadLetterPolicy.CleanUp cleanUp = policy.cleanUp();
            if (cleanUp != null) {
                schedule(cleanUp.runs(), this::cleanUp);
            }
        });
    }

    private void schedule(DeadLetterPolicy.Transfer times, Runnable work) {
        chores.repeat(times.initialDelay(), times.fixedDelay(), work);
    }

    /** Moves all DEAD events that are in the outbox now, in batches. Failures are logged. */
    public void moveDead() {
        chores.inBatches(moves, policy.sweep().batchSize(), size -> {
            long begin = System.nanoTime();
            List<OutboxEvent> events = backend.moveDead(size, metrics::moveAttempted);
            if (!events.isEmpty()) {
                moved(events, millisSince(begin));
                handler.add(events, SWEEP_PATIENCE);
            }
            return events.size();
        });
    }

    /** Returns all letters to the outbox that are TO_RETRY now, in batches. Failures are logged. */
    public void returnApproved() {
        chores.inBatches(returns, policy.giveBack().batchSize(), size -> {
            long begin = System.nanoTime();
            List<DeadLetter> letters = backend.returnApproved(size, metrics::returnAttempted);
            returned(letters, begin);
            return letters.size();
        });
    }

    /**
     * Deletes all RESOLVED letters that are older than the retention now, and attempts of events that have ended, in
     * batches. Failures are logged.
     */
    public void cleanUp() {
        DeadLetterPolicy.CleanUp cleanUp = policy.cleanUp();
        if (cleanUp == null) {
            return;
        }
        int batchSize = cleanUp.runs().batchSize();
        chores.inBatches(letterCleanUps, batchSize, size -> backend.cleanUp(endOf(cleanUp), size));
        chores.inBatches(attemptCleanUps, batchSize, size -> backend.cleanUpAttempts(endOf(cleanUp), size));
    }

    private Instant endOf(DeadLetterPolicy.CleanUp cleanUp) {
        return backend.currentTime().minus(cleanUp.retention());
    }

    private static Outage outage(String work) {
        return new Outage(
                LOG, Level.ERROR, "Cannot " + work + "; the next run tries again", "It is possible again to " + work);
    }

    /**
     * Reports events that were moved in the transaction that marked them dead, after its commit. Called by delivery;
     * never waits.
     */
    public void moved(List<OutboxEvent> events, Duration took) {
        metrics.moveAttempted(events.size());
        moved(events, took.toMillis());
        handler.add(events, Duration.ZERO);
    }

    /**
     * Reports events that became letters because an operator cancelled them. The sweep reports those that did not
     * become letters then.
     */
    public void cancelled(Collection<String> eventIds, Duration took) {
        List<String> all = List.copyOf(eventIds);
        for (int from = 0; backend.movesAtDeath() && from < all.size(); from += CANCELLED_AT_A_TIME) {
            List<String> some = all.subList(from, Math.min(from + CANCELLED_AT_A_TIME, all.size()));
            moved(backend.find(some).stream().map(DeadLetter::event).toList(), took);
        }
    }

    /** Reports events that were not moved, because the write that marks them dead failed. Called by delivery. */
    public void notMoved(int events) {
        metrics.moveAttempted(events);
    }

    private void moved(List<OutboxEvent> events, long tookMillis) {
        metrics.incrementMovedToDlq(0, events.size());
        metrics.recordDlqTransferToMs(tookMillis);
        byType(events).forEach((type, number) -> metrics.recordDeadLetters(type, DlqStatus.MOVED, number));
    }

    private void returned(List<DeadLetter> letters, long beginNanos) {
        if (letters.isEmpty()) {
            return;
        }
        count(letters, DlqStatus.IN_PROCESS);
        metrics.incrementReturnedToOutbox(0, letters.size());
        metrics.recordDlqTransferFromMs(millisSince(beginNanos));
        eventsReturned();
    }

    private void count(List<DeadLetter> letters, DlqStatus status) {
        byType(letters.stream().map(DeadLetter::event).toList())
                .forEach((type, number) -> metrics.recordDeadLetters(type, status, number));
    }

    private static Map<String, Integer> byType(List<OutboxEvent> events) {
        Map<String, Integer> numbers = new TreeMap<>();
        events.forEach(event -> numbers.merge(String.valueOf(event.eventType()), 1, Integer::sum));
        return numbers;
    }

    private static long millisSince(long beginNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beginNanos);
    }

    /**
     * Stops the scheduled work, which ends after its current batch, and waits a while for the handler. Whoever reports
     * events that moved ends before.
     */
    @Override
    public void close() {
        chores.close();
        handler.close();
    }
}
