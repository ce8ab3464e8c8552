package io.outbox.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request to hold due events.
 *
 * <p>What is due and whose lease has run out is decided as of an instant on the store's clock that the claimant knows
 * to be past when it sends the request. So a request that is held up on its way takes over nothing that was in good
 * hands when it was sent. When the lock begins is for the store to say, at the moment it locks.
 *
 * @param lease who claims, and for how long a lock lasts
 * @param asOf the store's time by which events are due and leases are over
 * @param scope which events qualify
 * @param limit the largest number of events to claim
 * @param after where the previous claim ended, or {@code null} to begin with the oldest
 * @param maxBytes about how many bytes of payloads and headers to claim: the event that reaches them is the last of its
 * page
 */
public record ClaimRequest(
        Lease lease,
        Instant asOf,
        Scope scope,
        int limit,
        @Nullable PageCursor after,
        long maxBytes) {

    public ClaimRequest {
        Objects.requireNonNull(lease, "lease");
        Objects.requireNonNull(asOf, "asOf");
        Objects.requireNonNull(scope, "scope");
        Limits.atLeastOne(limit, "limit");
        Limits.atLeastOne(maxBytes, "maxBytes");
    }

    /** A request for events of any size. */
    public ClaimRequest(Lease lease, Instant asOf, Scope scope, int limit, @Nullable PageCursor after) {
        this(lease, asOf, scope, limit, after, Long.MAX_VALUE);
    }

    /**
     * Which events qualify for a claim.
     *
     * @param types their types
     * @param skipRecent their least age
     * @param takeOver whether those qualify that another node holds by a lease that has run out
     * @param lost what the claimant may hold without knowing it, and which qualifies too
     */
    public record Scope(EventTypes types, Duration skipRecent, boolean takeOver, LostClaims lost) {

        /** All types and ages, including events whose lease has expired. */
        public static final Scope ALL = new Scope(EventTypes.ALL, Duration.ZERO, true);

        public Scope {
            Objects.requireNonNull(types, "types");
            Objects.requireNonNull(skipRecent, "skipRecent");
            Objects.requireNonNull(lost, "lost");
        }

        /** For a claimant all of whose claims were answered. */
        public Scope(EventTypes types, Duration skipRecent, boolean takeOver) {
            this(types, skipRecent, takeOver, LostClaims.NONE);
        }
    }

    /**
     * What the claimant's earlier claims left behind whose answer got lost: events that are locked in its name without
     * its knowledge.
     *
     * @param holders the {@linkplain Lease#holder() names} under which those claims were sent
     * @param known the events under these names of which the claimant knows, and which do not qualify
     */
    public record LostClaims(Set<String> holders, Set<String> known) {

        /** Every claim was answered. */
        public static final LostClaims NONE = new LostClaims(Set.of(), Set.of());

        public LostClaims {
            holders = Set.copyOf(holders);
            known = Set.copyOf(known);
        }

        /** Returns whether an event qualifies that this holder has locked. */
        public boolean include(String holder, String eventId) {
            return holders.contains(holder) && !known.contains(eventId);
        }
    }

    /** Asks for the oldest events of all types, also those whose lease has run out. */
    public static ClaimRequest first(Lease lease, Instant asOf, int limit) {
        return new ClaimRequest(lease, asOf, Scope.ALL, limit, null);
    }

    /** Returns the same request beginning there. */
    public ClaimRequest after(@Nullable PageCursor cursor) {
        return new ClaimRequest(lease, asOf, scope, limit, cursor, maxBytes);
    }

    /** Returns the same request for pages of about so many bytes at most. */
    public ClaimRequest upTo(long bytes) {
        return new ClaimRequest(lease, asOf, scope, limit, after, bytes);
    }

    /** Returns the time of locking before which a lock no longer counts; the epoch if nothing is taken over. */
    public Instant lockExpiry() {
        return scope.takeOver ? asOf.minus(lease.duration()) : Instant.EPOCH;
    }

    /** Returns the latest time of creation that qualifies. */
    public Instant createdUntil() {
        return asOf.minus(scope.skipRecent);
    }
}
