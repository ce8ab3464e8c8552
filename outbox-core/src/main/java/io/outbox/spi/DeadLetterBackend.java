package io.outbox.spi;

import io.outbox.model.DeadLetter;
import io.outbox.model.DeadLetterCount;
import io.outbox.model.DlqStatus;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of a storage engine: dead events that are kept apart from those that are delivered. At every commit
 * an event is an outbox event or a dead letter, never both and never neither. Thread-safe.
 */
public interface DeadLetterBackend extends DeadEventBackend {

    /** Has all. */
    @Override
    default Set<DeadEventCapability> capabilities() {
        return Set.of(DeadEventCapability.values());
    }

    /** Returns this. */
    @Override
    default Optional<DeadLetterBackend> queue() {
        return Optional.of(this);
    }

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

    /** Returns letters by their position, oldest first, of one state or of all. The cost grows with the position. */
    List<DeadLetter> list(@Nullable DlqStatus status, long offset, int limit);

    /** Returns the ids of the same letters, without reading their payloads. */
    List<String> listIds(@Nullable DlqStatus status, long offset, int limit);

    /** Changes MOVED letters to TO_RETRY or RESOLVED. */
    DeadLetterChange change(Collection<String> eventIds, DlqStatus status, String changedBy);

    @Override
    default DeadLetterChange resolve(Collection<String> eventIds, String changedBy) {
        return change(eventIds, DlqStatus.RESOLVED, changedBy);
    }

    /** Counts letters by type and state. */
    List<DeadLetterCount> counts();

    /** Counts letters, of one state or of all, of one type or of all. */
    long count(@Nullable DlqStatus status, @Nullable String eventType);

    /**
     * Deletes up to {@code limit} RESOLVED letters that were changed last before {@code before}, and what is known of
     * their attempts; returns how many letters.
     */
    int cleanUp(Instant before, int limit);

    /**
     * Looks at up to {@code limit} attempts that failed before {@code before}, and deletes those of events that have
     * ended and are no letters. The next call goes on where this one stopped.
     *
     * @return how many it looked at; fewer than {@code limit} if there are no more for now
     */
    int cleanUpAttempts(Instant before, int limit);

    /** Returns the time on the clock by which letters were changed. */
    Instant currentTime();
}
