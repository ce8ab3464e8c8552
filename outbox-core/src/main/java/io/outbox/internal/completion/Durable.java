package io.outbox.internal.completion;

import io.outbox.CompletionListener;
import io.outbox.EventEnvelope;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.Alarm;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Tells of outcomes that are durable: metrics, the log, the application's listeners, and the poller. Nothing that fails
 * on the way of one outcome costs another its end.
 */
final class Durable {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final EngineMetrics metrics;
    private final List<CompletionListener> listeners;
    private final Moves moves;
    private final BiConsumer<String, EventStatus> ends;
    private final Alarm alarm;
    private final FailureLog failures = new FailureLog(System::nanoTime);

    Durable(EngineMetrics metrics, CompletionWriter.Told told, Alarm alarm) {
        this.metrics = metrics;
        this.listeners = List.copyOf(told.listeners());
        this.moves = told.moves();
        this.ends = told.ends();
        this.alarm = alarm;
    }

    /** Counts an outcome that the store has answered: with the event's status, or {@code null} if it was refused. */
    void count(Completion completion, EventStatus status) {
        quietly(() -> doCount(completion, status));
    }

    private void doCount(Completion completion, EventStatus status) {
        Outcome outcome = completion.outcome();
        if (status == null) {
            if (completion.hold().outcomeRefused()) {
                metrics.incrementFenced(1);
            }
            return;
        }
        metrics.recordOutcome(completion.eventType(), status);
        if (status == EventStatus.DONE) {
            metrics.incrementDispatchSuccess();
        } else if (status == EventStatus.DEAD) {
            metrics.incrementDispatchDead();
        } else if (outcome instanceof Outcome.Failed) {
            metrics.incrementDispatchFailure();
        } else {
            metrics.incrementDispatchDeferred();
        }
    }

    /** Tells all others of an outcome that the store has answered. */
    void tell(Completion completion, EventStatus status) {
        quietly(() -> log(completion, status));
        if (status != null && status.isTerminal()) {
            quietly(() -> ends.accept(completion.hold().eventId(), status));
        }
        quietly(() -> tellListeners(completion, status));
        if (status != null) {
            quietly(() -> announce(completion));
        }
    }

    /** Tells of events that became dead letters by one write, after all of that write were told. */
    void tellOfMoves(List<OutboxEvent> events, Duration writeTook) {
        if (moves != null) {
            quietly(() -> moves.made(events, writeTook));
        }
    }

    void tellOfFailedMoves(int events) {
        if (moves != null && events > 0) {
            quietly(() -> moves.failed(events));
        }
    }

    private static void quietly(Runnable report) {
        try {
            report.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "An outcome is durable, but reporting it to a listener or to metrics failed", e);
        }
    }

    /** Logs what did not go well. */
    private void log(Completion completion, EventStatus status) {
        if (status == null) {
            LOG.log(
                    Level.WARNING,
                    "The outcome of event {0} was refused: it has another owner or has ended",
                    completion.outcome().eventId());
        } else if (status == EventStatus.DONE) {
            failures.tellWhatIsOver();
        } else if (status == EventStatus.DEAD) {
            failures.dead(completion);
        } else if (completion.outcome() instanceof Outcome.Failed failed) {
            failures.failed(completion, failed);
        }
    }

    /** Tells what is left to be told, at the end. */
    void close() {
        failures.close();
    }

    /**
     * Returns whether the event itself is of use once its outcome is durable; of one that is done, only to listeners.
     */
    boolean needsEvent(Outcome outcome) {
        return !(outcome instanceof Outcome.Done) || !listeners.isEmpty();
    }

    /** Tells the application's listeners. */
    private void tellListeners(Completion completion, EventStatus status) {
        if (listeners.isEmpty()) {
            return;
        }
        EventEnvelope event = completion.envelope();
        if (status == EventStatus.DONE) {
            each(completion, listener -> listener.onDone(event));
        } else if (status == EventStatus.DEAD) {
            CompletionListener.DeadEvent dead = new CompletionListener.DeadEvent(
                    completion.hold().eventId(),
                    completion.eventType(),
                    event,
                    storedError(completion.outcome()),
                    completion.failure().error());
            each(completion, listener -> listener.onDead(dead));
        }
    }

    private void each(Completion completion, Consumer<CompletionListener> call) {
        for (CompletionListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable e) {
                LOG.log(
                        Level.WARNING,
                        "A completion listener failed for event "
                                + completion.hold().eventId(),
                        e);
            }
        }
    }

    /** Tells the poller when the event is due again, if it is. */
    private void announce(Completion completion) {
        if (completion.outcome() instanceof Outcome.Deferred deferred) {
            alarm.dueAt(EventTypes.only(completion.eventType()), deferred.until());
        } else if (completion.outcome() instanceof Outcome.Failed failed) {
            alarm.dueAt(EventTypes.only(completion.eventType()), failed.retryAt());
        }
    }

    private static String storedError(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed.error();
        }
        return outcome instanceof Outcome.Dead dead ? dead.error() : null;
    }
}
