package io.outbox.admin;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dead.DeadEventOperations;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadEventCapability;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.InspectionBackend;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** What operators do with dead events, wherever these are kept; a change that is not made is a {@link Problem}. */
final class DeadEvents {

    private final Outbox outbox;
    private final DeadEventOperations events;
    private final InspectionBackend inspection;

    DeadEvents(Outbox outbox, DeadEventOperations events, InspectionBackend inspection) {
        this.outbox = outbox;
        this.events = events;
        this.inspection = inspection;
    }

    /** Returns what can be seen of them. */
    DeadEventOperations events() {
        return events;
    }

    /** Returns the dead letter queue; without one, what needs it is not there. */
    DeadLetterQueue queue() {
        return outbox.deadLetters()
                .orElseThrow(
                        () -> Problem.notFound("This outbox keeps no dead letters: DEAD events are among the others"));
    }

    /** Returns a dead event with payload and headers, also one that a schedule has not moved yet. */
    OutboxEvent find(String id) {
        return events.find(id)
                .map(DeadLetter::event)
                .or(() -> inspection
                        .find(id)
                        .filter(event -> event.status() == EventStatus.DEAD)
                        .map(InspectedEvent::event))
                .orElseThrow(() -> Problem.missing(List.of(id)));
    }

    /** Returns events to delivery, all or none. */
    void replay(List<String> ids, Caller caller) {
        act(() -> events.retry(ids, caller.name()));
    }

    void requireResolve() {
        if (!events.supports(DeadEventCapability.RESOLVE)) {
            throw Problem.conflict(
                    "needs-dead-letters",
                    "Without a dead letter queue (outbox.publisher.dlq.enabled) an event cannot be settled and kept;"
                            + " delete or replay it");
        }
    }

    void resolve(List<String> ids, Caller caller) {
        requireResolve();
        act(() -> events.resolve(ids, caller.name()));
    }

    void delete(List<String> ids) {
        act(() -> events.delete(ids));
    }

    /** Writes an event in place of a dead one, which is settled and otherwise stays as it was. */
    void replace(String id, EventEnvelope replacement, Caller caller) {
        act(() -> events.replace(id, replacement, caller.name()));
    }

    /**
     * Changes dead events; one that is still DEAD in the outbox, because a schedule moves it later, is made a letter
     * first.
     */
    private void act(Supplier<DeadLetterChange> action) {
        DeadLetterChange change = tried(action);
        boolean isMoved = !change.missing().isEmpty() && events.moveDead(change.missing()) > 0;
        requireMade(isMoved ? tried(action) : change);
    }

    private static DeadLetterChange tried(Supplier<DeadLetterChange> action) {
        try {
            return action.get();
        } catch (DuplicateEventException e) {
            throw Problem.conflict("id-taken", "The outbox has an event with the same id already; nothing was changed");
        }
    }

    /** Changes the state of letters, all or none. */
    void changeLetters(List<String> ids, DlqStatus status, Caller caller) {
        requireMade(tried(() -> queue().change(ids, status, caller.name())));
    }

    void deleteLetters(List<String> ids) {
        requireMade(queue().delete(ids));
    }

    private static void requireMade(DeadLetterChange change) {
        if (!change.missing().isEmpty()) {
            throw Problem.missing(List.copyOf(new TreeSet<>(change.missing())));
        }
        if (!change.refused().isEmpty()) {
            boolean isInProcess = change.refused().containsValue(DlqStatus.IN_PROCESS);
            throw Problem.conflict(
                    isInProcess ? "in-process" : "illegal-transition",
                    isInProcess
                            ? "A transfer is working on this letter; nothing was changed"
                            : "Only a letter that is MOVED can be changed; nothing was changed",
                    new TreeMap<>(change.refused()));
        }
    }
}
