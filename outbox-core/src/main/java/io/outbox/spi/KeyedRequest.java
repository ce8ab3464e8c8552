package io.outbox.spi;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request for the next events of some keys.
 *
 * <p>For each key these are its unfinished events in the order of their numbers, from the oldest on, up to the first
 * that is not due, or whose type is not wanted. What comes back is the claimant's when the call returns; nothing behind
 * such a gap is. A key gives nothing if another holder has one of these events or, over several nodes, the one behind
 * the first; nor if one of them could not be locked. So a head that comes back, by a replay or a late commit, waits for
 * what is held behind it.
 *
 * @param lease who claims, and for how long a lock lasts; {@code null} for a node that is alone, which only reads, and
 * to which
 *     locks do not matter
 * @param dueUntil until when events are due
 * @param lockExpiry locks that began before this time no longer count
 * @param lost what the claimant holds without knowing it, which qualifies too
 * @param types which types are wanted
 * @param keys the keys, each once
 * @param limit how much is wanted
 */
public record KeyedRequest(
        @Nullable Lease lease,
        Instant dueUntil,
        Instant lockExpiry,
        ClaimRequest.LostClaims lost,
        EventTypes types,
        List<String> keys,
        Limit limit) {

    /**
     * How much is wanted.
     *
     * @param run the largest number of events of one key
     * @param bytes about how many bytes of payloads and headers in all: the event that reaches them is the last
     */
    public record Limit(int run, long bytes) {
        public Limit {
            Limits.atLeastOne(run, "run");
            Limits.atLeastOne(bytes, "bytes");
        }
    }

    public KeyedRequest {
        Objects.requireNonNull(dueUntil, "dueUntil");
        Objects.requireNonNull(lockExpiry, "lockExpiry");
        Objects.requireNonNull(lost, "lost");
        Objects.requireNonNull(types, "types");
        Objects.requireNonNull(limit, "limit");
        keys = List.copyOf(keys);
    }
}
