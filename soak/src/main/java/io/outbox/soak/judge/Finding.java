package io.outbox.soak.judge;

import io.outbox.soak.fault.FaultKind;
import java.time.Instant;

/**
 * A promise that was broken.
 *
 * @param eventId the event concerned
 * @param at when it showed, or {@code null} if it showed only in the end
 * @param suspect the kind of the fault, whoever it hit, that took most of the time before this delivery and since the
 * one
 *     before or since it was due, or was the last one before that; {@code null} if there was none
 */
public record Finding(Kind kind, String eventId, Instant at, FaultKind suspect) {

    /** Which promise. */
    public enum Kind {
        /** A committed event is not in the table. */
        LOST,
        /** A stored event never came to a listener. */
        NOT_DELIVERED,
        /** A stored event is neither DONE nor DEAD after everything was drained. */
        NOT_FINISHED,
        /** A stored event is DEAD instead of DONE, or the other way round. */
        WRONG_END,
        /** An event came to a listener although its transaction rolled back, or nobody ever stored it. */
        NEVER_COMMITTED,
        /** An event came to a listener although its write was undone inside the transaction. */
        FROM_FAILED_TRANSACTION,
        /** The table says that an event is with the broker, and the broker does not have it. */
        NOT_PUBLISHED,
        /** The broker has an event more often than it came to the listener that sends it there. */
        PUBLISHED_TOO_OFTEN,
        /** A row is locked although the node has closed. */
        STUCK_LOCK,
        /** An event came again, and no fault of the node that had it before explains that. */
        UNEXPLAINED_DUPLICATE,
        /**
         * An event has more failed attempts than deliveries that were not done; that a broker is away is no failed
         * attempt.
         */
        FALSE_ATTEMPT,
        /** An event of a key came to a listener before the one that was committed before it was finished. */
        OUT_OF_ORDER,
        /**
         * Two events of a key were with listeners at the same time, and no fault of the node that had the first
         * explains that.
         */
        AT_THE_SAME_TIME,
        /** An event was due for nearly a lease, and no fault explains that nobody delivered it. */
        LATE
    }
}
