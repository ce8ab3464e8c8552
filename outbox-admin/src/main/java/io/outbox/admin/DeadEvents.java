package io.outbox.admin;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureGroup;
import io.outbox.model.InspectedEvent;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.OutboxBackendException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/** What can be done with events that have died, whether they are dead letters or in the outbox. */
final class DeadEvents {

    private final Outbox outbox;
    private final InspectionBackend inspection;
    private final FailuresInOutbox failures;

    DeadEvents(Outbox outbox, InspectionBackend inspection) {
        this.outbox = outbox;
        this.inspection = inspection;
        this.failures = new FailuresInOutbox(inspection);
    }

    /** Returns the dead letter queue; without one, what needs it is not there. */
    DeadLetterQueue queue() {
        return outbox.deadLetters()
                .orElseThrow(
                        () -> Problem.notFound("This outbox keeps no dead letters: DEAD events are among the others"));
    }

    boolean hasQueue() {
        return outbox.deadLetters().isPresent();
    }

    /** Returns what events in the outbox failed of. */
    FailuresInOutbox failures() {
        return failures;
    }

    /** Returns groups of events that failed alike, the largest first. */
    List<FailureGroup> groups(int limit) {
        return hasQueue() ? queue().groups(limit) : failures.groups(limit);
    }

    /** Returns events to delivery, all or none. */
    void replay(List<String> ids, Caller caller) {
        if (hasQueue()) {
            act(() -> changed(ids, DlqStatus.TO_RETRY, caller));
        } else {
            requireDead(ids);
            requireSome(ids.stream().filter(this::replayDead).count(), ids);
        }
    }

    /** Returns false if somebody else was quicker. The same is said if the store fails, but then the event is still DEAD. */
    private boolean replayDead(String id) {
        if (outbox.deadEvents().replay(id)) {
            return true;
        }
        if (isDead(id)) {
            throw new OutboxBackendException("Event " + id + " was not replayed");
        }
        return false;
    }

    void resolve(List<String> ids, Caller caller) {
        if (!hasQueue()) {
            throw Problem.conflict(
                    "needs-dead-letters",
                    "Without a dead letter queue (outbox.publisher.dlq.enabled) an event cannot be settled and kept;"
                            + " delete or replay it",
                    Map.of());
        }
        act(() -> changed(ids, DlqStatus.RESOLVED, caller));
    }

    void delete(List<String> ids) {
        if (hasQueue()) {
            act(() -> queue().delete(ids));
        } else {
            requireDead(ids);
            requireSome(inspection.deleteDead(ids), ids);
        }
    }

    /**
     * Writes an event in place of a dead one, which is settled and stays as it was: a letter as RESOLVED, an event of an outbox
     * without dead letters as DONE, which is the only end that it can have and not be dead.
     */
    void replace(String id, EventEnvelope replacement, Caller caller) {
        try {
            if (hasQueue()) {
                act(() -> queue().replace(id, replacement, caller.name()));
            } else if (!inspection.replaceDead(id, replacement, remark(id, replacement))) {
                throw Problem.missing(List.of(id));
            }
        } catch (DuplicateEventException e) {
            throw Problem.conflict("id-taken", "The outbox has an event with the id of the new one", Map.of());
        }
    }

    private String remark(String id, EventEnvelope replacement) {
        String error = inspection.find(id).map(InspectedEvent::lastError).orElse(null);
        return "Not delivered: written again as " + replacement.eventId() + (error == null ? "" : ". Before: " + error);
    }

    /** Changes letters; what is DEAD in the outbox still, because a schedule moves it later, is made a letter first. */
    private void act(Supplier<DeadLetterChange> action) {
        DeadLetterChange change = action.get();
        boolean isMoved = !change.missing().isEmpty() && queue().moveDead(change.missing()) > 0;
        requireMade(isMoved ? action.get() : change);
    }

    /** Changes the state of letters, all or none. */
    void changeLetters(List<String> ids, DlqStatus status, Caller caller) {
        requireMade(changed(ids, status, caller));
    }

    void deleteLetters(List<String> ids) {
        requireMade(queue().delete(ids));
    }

    private DeadLetterChange changed(List<String> ids, DlqStatus status, Caller caller) {
        try {
            return queue().change(ids, status, caller.name());
        } catch (DuplicateEventException e) {
            throw Problem.conflict(
                    "id-taken", "The outbox has an event with the id of one of these; nothing was changed", Map.of());
        }
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
                            ? "A transfer has this in hand; nothing was changed"
                            : "Only a letter that is MOVED can be changed; nothing was changed",
                    Map.of("states", new TreeMap<>(change.refused())));
        }
    }

    private void requireDead(Collection<String> ids) {
        List<String> missing = ids.stream().filter(id -> !isDead(id)).sorted().toList();
        if (!missing.isEmpty()) {
            throw Problem.missing(missing);
        }
    }

    private boolean isDead(String id) {
        return inspection
                .find(id)
                .filter(event -> event.status() == EventStatus.DEAD)
                .isPresent();
    }

    /** Without dead letters there is no lock on what was DEAD a moment ago; somebody else may have been quicker. */
    private static void requireSome(long changed, List<String> ids) {
        if (changed == 0) {
            throw Problem.missing(ids);
        }
    }

    DeadLetter letter(String id) {
        return queue().find(id).orElseThrow(() -> Problem.missing(List.of(id)));
    }

    /** Returns a dead event, wherever it is, with payload and headers. */
    OutboxEvent find(String id) {
        Optional<DeadLetter> letter = hasQueue() ? queue().find(id) : Optional.empty();
        return letter.map(DeadLetter::event)
                .or(() -> inspection
                        .find(id)
                        .filter(event -> event.status() == EventStatus.DEAD)
                        .map(InspectedEvent::event))
                .orElseThrow(() -> Problem.missing(List.of(id)));
    }
}
