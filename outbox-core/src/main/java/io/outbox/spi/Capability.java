package io.outbox.spi;

/** What not every storage engine can do. */
public enum Capability {
    /** Due events can be claimed by one node among several. Without it, multi-node mode is refused. */
    CLAIM,
    /** Events can be held by a node from the moment they become visible, so that it delivers them without a claim. */
    OWN_ON_WRITE,
    /** Leases can be restarted. Without it, a listener must not take longer than the lease. */
    RENEW,
    /** Events can be given back. Without it, what a node claimed and did not deliver waits for the end of the lease. */
    RELEASE,
    /** Outcomes of a node that has lost the event are refused. */
    FENCE,
    /** Many outcomes are written together. Without it, each is a statement of its own. */
    BATCH_OUTCOMES,
    /** Events can be deleted the moment they are done. Without it, they are kept until the next purge. */
    DELETE_DONE,
    /** Events can be read by their type. Without it, event types cannot have lanes of their own. */
    READ_BY_TYPE,
    /**
     * Events of one key can be delivered in the order in which they were written. Without it, {@code ordering} is
     * refused.
     */
    KEYED,
    /**
     * Writers of one key can be made to wait for each other. Without it, {@code Ordering.lockingWrites()} is refused.
     */
    LOCK_KEYS
}
