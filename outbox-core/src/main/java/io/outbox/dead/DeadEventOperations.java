package io.outbox.dead;

import io.outbox.EventEnvelope;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.Tally;
import io.outbox.spi.DeadEventBackend;
import io.outbox.spi.DeadEventCapability;
import io.outbox.spi.DeadLetterChange;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What operators see of dead events and do with them, whether these are DEAD in the outbox or letters of a
 * {@link DeadLetterQueue}. A DEAD event of an outbox without a queue counts as MOVED. Thread-safe.
 *
 * <p>A change is made to all events that are named, or to none; {@link DeadLetterChange} says why not. Failures of the
 * store are thrown. {@link DeadEventManager} is the smaller view, which logs them instead.
 */
public sealed class DeadEventOperations permits DeadLetterQueue {

    private final DeadEventBackend backend;
    private final Runnable onReturn;

    /** @param onReturn run after events were returned to delivery, so that a poller need not wait for its interval */
    public DeadEventOperations(DeadEventBackend backend, Runnable onReturn) {
        this.backend = Objects.requireNonNull(backend, "backend");
        this.onReturn = Objects.requireNonNull(onReturn, "onReturn");
    }

    /** Returns whether dead events of this outbox can do this. */
    public boolean supports(DeadEventCapability capability) {
        return backend.capabilities().contains(capability);
    }

    /** Returns a dead event. */
    public Optional<DeadLetter> find(String eventId) {
        return find(List.of(eventId)).stream().findFirst();
    }

    /** Returns those of the events that are dead. */
    public List<DeadLetter> find(Collection<String> eventIds) {
        return backend.find(eventIds);
    }

    /** Returns a page of dead events without payload and headers, oldest first; a short one may have a next one. */
    public Page<DeadLetter> query(DeadLetterQuery query) {
        return backend.query(query);
    }

    /** Returns the place between two pages as text. */
    public String encode(PageCursor cursor) {
        return backend.encode(cursor);
    }

    /** Returns the place that the text stands for; what is none is an {@link IllegalArgumentException}. */
    public PageCursor decode(String cursor) {
        return backend.decode(cursor);
    }

    /** Counts the dead events that match, as far as that does not take long. */
    public Tally count(DeadLetterFilter filter) {
        return backend.count(filter);
    }

    /** Counts dead events by state, of each no more than so many. */
    public Map<DlqStatus, Long> countByState(int most) {
        return backend.countByState(most);
    }

    /** Returns the largest groups of MOVED events that failed alike. Large ones are not counted to their end. */
    public List<FailureGroup> groups(int limit) {
        return backend.groups(limit);
    }

    /** Returns the failed attempts of an event, dead or not, the oldest first. */
    public List<FailedAttempt> attempts(String eventId) {
        return backend.attempts(eventId);
    }

    /** Returns MOVED events to delivery, with the same id and time of creation and all their attempts. */
    public DeadLetterChange retry(Collection<String> eventIds, String by) {
        return returning(backend.returnToOutbox(eventIds));
    }

    /**
     * Settles MOVED events: they are kept for a while, and not delivered.
     *
     * @throws UnsupportedOperationException without {@link DeadEventCapability#RESOLVE}
     */
    public DeadLetterChange resolve(Collection<String> eventIds, String by) {
        return backend.resolve(eventIds, by);
    }

    /** Writes an event in place of a MOVED one, which is settled and otherwise stays as it was. */
    public DeadLetterChange replace(String eventId, EventEnvelope replacement, String by) {
        return returning(backend.replace(eventId, replacement, by));
    }

    /** Deletes dead events for good. */
    public DeadLetterChange delete(Collection<String> eventIds) {
        return backend.delete(eventIds);
    }

    /**
     * Makes letters of those of the events that are DEAD in the outbox and wait for a schedule to move them; returns
     * how many. Without a queue nothing waits.
     */
    public int moveDead(Collection<String> eventIds) {
        return 0;
    }

    private DeadLetterChange returning(DeadLetterChange change) {
        if (change.isMade()) {
            eventsReturned();
        }
        return change;
    }

    /** Has the poller look for what was returned. */
    final void eventsReturned() {
        onReturn.run();
    }
}
