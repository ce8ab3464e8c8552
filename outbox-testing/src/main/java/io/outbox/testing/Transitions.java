package io.outbox.testing;

import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/** What outcomes do to a stored event. */
final class Transitions {

    private Transitions() {}

    /** Returns whether nothing is left of an event with this outcome. */
    static boolean deletes(Outcome outcome) {
        return outcome instanceof Outcome.Done done && !done.keep();
    }

    /** Returns the event after an outcome that leaves something of it. */
    static StoredEvent after(StoredEvent event, Outcome outcome) {
        if (outcome instanceof Outcome.Done done) {
            return event.becoming(EventStatus.DONE, event.attempts(), event.availableAt())
                    .doneAt(micros(done.at()));
        }
        if (outcome instanceof Outcome.Deferred deferred) {
            return event.becoming(EventStatus.NEW, event.attempts(), micros(deferred.until()));
        }
        if (outcome instanceof Outcome.Dead dead) {
            return event.becoming(EventStatus.DEAD, event.attempts(), event.availableAt())
                    .withError(dead.error());
        }
        Outcome.Failed failed = (Outcome.Failed) outcome;
        int attempts = event.attempts() + 1;
        EventStatus status = attempts < failed.maxAttempts() ? EventStatus.RETRY : EventStatus.DEAD;
        return event.becoming(status, attempts, micros(failed.retryAt())).withError(failed.error());
    }

    /**
     * Returns whether the outcome is a failure that was counted before, and must not be counted again.
     *
     * <p>It is recognised by its time and by a count beyond the one it started from: the next failure may fall on the
     * same instant, but it starts from the new count.
     */
    static boolean isCountedAlready(StoredEvent event, Outcome outcome) {
        return outcome instanceof Outcome.Failed failed
                && event.status() == EventStatus.RETRY
                && micros(failed.retryAt()).equals(event.availableAt())
                && event.attempts() > failed.attempts();
    }

    /** Returns whether the event is as this outcome leaves an event, so that the outcome stands. */
    static boolean shows(StoredEvent event, Outcome outcome) {
        if (outcome instanceof Outcome.Done done) {
            return event.status() == EventStatus.DONE && micros(done.at()).equals(event.doneAt());
        }
        if (outcome instanceof Outcome.Deferred deferred) {
            return event.status() == EventStatus.NEW && micros(deferred.until()).equals(event.availableAt());
        }
        if (outcome instanceof Outcome.Dead dead) {
            return event.status() == EventStatus.DEAD && Objects.equals(dead.error(), event.lastError());
        }
        Outcome.Failed failed = (Outcome.Failed) outcome;
        return (event.status() == EventStatus.RETRY || event.status() == EventStatus.DEAD)
                && micros(failed.retryAt()).equals(event.availableAt())
                && Objects.equals(failed.error(), event.lastError());
    }

    /** Cuts an instant to the precision of the store. */
    static Instant micros(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MICROS);
    }
}
