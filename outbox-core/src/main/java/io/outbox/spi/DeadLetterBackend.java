package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.OutboxEvent;
import io.outbox.model.Tally;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The dead letters of a storage engine: events that have died, kept apart from those that are delivered. Thread-safe.
 *
 * <ul>
 *   <li>At every commit an event is an outbox event or a dead letter, never both and never neither.
 *   <li>Each call is one transaction. If it fails, everything is as it was before.
 *   <li>Any number of nodes may call at the same time; none of two that want the same letter gets what the other has.
 *   <li>Changes are made to all letters that are named, or to none, and {@link DeadLetterChange} says why not.
 * </ul>
 */
public interface DeadLetterBackend {

    /** Returns whether the write that lets an event die also moves it; if not, {@link #moveDead} does. */
    boolean movesAtDeath();

    /**
     * Makes letters of up to {@code limit} DEAD events of the outbox, the oldest first; returns those events.
     *
     * @param attempted told how many are about to be moved, each time that it is tried
     */
    List<OutboxEvent> moveDead(int limit, IntConsumer attempted);

    /** Makes letters of those of the events that are DEAD and in the outbox; returns those events. */
    List<OutboxEvent> moveDead(Collection<String> eventIds);

    /**
     * Returns up to {@code limit} letters that are TO_RETRY to the outbox, the oldest first; returns those letters.
     *
     * @param attempted told how many are about to be returned, each time that it is tried
     */
    List<DeadLetter> returnApproved(int limit, IntConsumer attempted);

    /** Returns the letters of the ids, without those that there are none of, in the order of the ids. */
    List<DeadLetter> find(Collection<String> eventIds);

    /**
     * Returns a page of letters without payload and headers, oldest first. It may be short, even empty, and have a next one:
     * then the search stopped because it has looked at enough letters.
     */
    Page<DeadLetter> query(DeadLetterQuery query);

    /** Returns the place between two pages as text, for a caller who keeps it elsewhere. */
    String encode(PageCursor cursor);

    /**
     * Returns the place that the text stands for.
     *
     * @throws IllegalArgumentException if it is none that was returned by {@link #encode}
     */
    PageCursor decode(String cursor);

    /** Returns letters by their position, oldest first; {@code null} is any state. The cost grows with the position. */
    List<DeadLetter> list(DlqStatus status, long offset, int limit);

    /** Changes MOVED letters to TO_RETRY or RESOLVED. */
    DeadLetterChange change(Collection<String> eventIds, DlqStatus status, String changedBy);

    /**
     * Returns MOVED letters to the outbox: same id, same time of creation, with all their attempts, and due at once. What
     * is known of earlier attempts stays.
     *
     * @throws io.outbox.DuplicateEventException if the outbox has an event with the same id; nothing is changed
     */
    DeadLetterChange returnToOutbox(Collection<String> eventIds);

    /**
     * Writes an event in place of a MOVED letter, which is RESOLVED then and stays as it was otherwise.
     *
     * @throws io.outbox.DuplicateEventException if there is an event with the id of the replacement
     */
    DeadLetterChange replace(String eventId, EventEnvelope replacement, String changedBy);

    /** Deletes letters that are not IN_PROCESS, and what is known of their attempts. */
    DeadLetterChange delete(Collection<String> eventIds);

    /** Counts letters by type and state. */
    List<DeadLetterCount> counts();

    /** Counts letters; {@code null} is any state, or any type. */
    long count(DlqStatus status, String eventType);

    /** Counts the letters that match, among as many as one call looks at. */
    Tally count(DeadLetterFilter filter);

    /** Counts letters by state, of each no more than so many. */
    Map<DlqStatus, Long> countByState(int most);

    /** Returns the largest groups of MOVED letters that failed alike. Large ones are not counted to their end. */
    List<FailureGroup> groups(int limit);

    /** Returns what is known of the failed attempts of an event, whether it is dead or not, the oldest first. */
    List<FailedAttempt> attempts(String eventId);

    /**
     * Deletes up to {@code limit} RESOLVED letters that were changed last before {@code before}, and what is known of their
     * attempts; returns how many letters.
     */
    int cleanUp(Instant before, int limit);

    /**
     * Looks at up to {@code limit} attempts that failed before {@code before}, and deletes those of events that have ended and
     * are no letters. The next call goes on where this one stopped.
     *
     * @return how many it looked at; fewer than {@code limit} if there are no more for now
     */
    int cleanUpAttempts(Instant before, int limit);

    /** Returns the time on the clock by which letters were changed. */
    Instant currentTime();
}
