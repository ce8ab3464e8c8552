package io.outbox.jdbc.store;

import java.time.Instant;

/**
 * A claim as the statements need it.
 *
 * @param ownerId who claims
 * @param range what can be claimed
 * @param lockExpiry locks that began before this time no longer count
 * @param lockTime when the new lock begins
 * @param limit how much to claim
 */
record Claim(String ownerId, DueRange range, Instant lockExpiry, LockTime lockTime, PageLimit limit) {

    /** The condition that nobody holds an event; its parameter is the expiry. */
    static final String FREE = "(locked_by IS NULL OR locked_at < ?)";
}
