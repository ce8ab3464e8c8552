package io.outbox.inbox;

/**
 * Receives what consumers count, each a number of events. Implementations are thread-safe, quick, and do not throw.
 * What was consumed or skipped is counted after the commit.
 */
public interface InboxMetrics {

    /** Ignores everything. */
    InboxMetrics NOOP = new InboxMetrics() {};

    /** Events whose operation ran and was committed. */
    default void incrementConsumed(long count) {}

    /** Events that were skipped: consumed before, or more than once in a batch. */
    default void incrementDuplicated(long count) {}

    /** Events of calls that failed, of a batch all. */
    default void incrementFailed(long count) {}

    /** Marks deleted by one run of the clean-up. */
    default void incrementCleaned(long count) {}

    /** Events of which the cache knew that they were consumed. */
    default void incrementCacheHit(long count) {}

    /** Events that the cache did not know. */
    default void incrementCacheMiss(long count) {}
}
