package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureGroup;
import io.outbox.model.Tally;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The dead events of a storage engine, as operators see them and act on them, wherever the engine keeps them.
 * Thread-safe.
 *
 * <p>An engine either leaves dead events in the outbox, where a dead event is DEAD and counts as {@link
 * DlqStatus#MOVED} here, or keeps them apart in a {@link #queue()}. What only some engines can do is a {@link
 * DeadEventCapability}.
 *
 * <ul>
 *   <li>Each call is one transaction. If it fails, everything is as it was before.
 *   <li>Any number of nodes may call at the same time; of two that want the same event, one gets it.
 *   <li>Changes are made to all events that are named, or to none, and {@link DeadLetterChange} says why not.
 * </ul>
 */
public interface DeadEventBackend {

    /** Returns what this engine can do beyond the methods below. */
    Set<DeadEventCapability> capabilities();

    /** Returns the dead letters; empty without {@link DeadEventCapability#QUEUE}. */
    Optional<DeadLetterBackend> queue();

    /** Returns the dead events of the ids, without those that there are none of, in the order of the ids. */
    List<DeadLetter> find(Collection<String> eventIds);

    /**
     * Returns a page of dead events without payload and headers, oldest first. It may be short, even empty, and have a
     * next one: then the search stopped because it has looked at enough events.
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

    /** Counts the dead events that match, among as many as one call looks at. */
    Tally count(DeadLetterFilter filter);

    /** Counts dead events by state, of each no more than so many. */
    Map<DlqStatus, Long> countByState(int most);

    /**
     * Returns the largest groups of MOVED events that failed alike. Large ones are not counted to their end. Without
     * {@link DeadEventCapability#HISTORY} their times are those at which the events were written.
     */
    List<FailureGroup> groups(int limit);

    /**
     * Returns what is known of the failed attempts of an event, whether it is dead or not, the oldest first; nothing
     * without {@link DeadEventCapability#HISTORY}.
     */
    List<FailedAttempt> attempts(String eventId);

    /**
     * Returns MOVED events to delivery: same id, same time of creation, with all their attempts, and due immediately.
     * What is known of earlier attempts stays.
     *
     * @throws io.outbox.DuplicateEventException if the outbox has another event with the same id; nothing is changed
     */
    DeadLetterChange returnToOutbox(Collection<String> eventIds);

    /**
     * Writes an event in place of a MOVED one, which is kept, but never delivered: as RESOLVED with
     * {@link DeadEventCapability#RESOLVE}, otherwise as DONE, with a last error that names the replacement.
     *
     * @throws io.outbox.DuplicateEventException if there is an event with the id of the replacement
     */
    DeadLetterChange replace(String eventId, EventEnvelope replacement, String changedBy);

    /**
     * Settles MOVED events: they are kept as RESOLVED until their retention is over, and not delivered.
     *
     * @throws UnsupportedOperationException without {@link DeadEventCapability#RESOLVE}
     */
    default DeadLetterChange resolve(Collection<String> eventIds, String changedBy) {
        throw new UnsupportedOperationException("This engine cannot settle and keep a dead event: return or delete it");
    }

    /** Deletes dead events that are not IN_PROCESS, and what is known of their attempts. */
    DeadLetterChange delete(Collection<String> eventIds);
}
