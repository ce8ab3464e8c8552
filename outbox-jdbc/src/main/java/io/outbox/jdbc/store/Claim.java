package io.outbox.jdbc.store;

import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.Lease;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * A claim as the statements need it.
 *
 * @param lease who claims
 * @param range what can be claimed
 * @param free which of that nobody holds
 * @param lockTime when the new lock begins
 * @param limit how much to claim
 */
record Claim(Lease lease, DueRange range, Free free, LockTime lockTime, PageLimit limit) {

    /**
     * Which events nobody holds, as far as a claimant is concerned.
     *
     * @param lockExpiry locks that began before this time no longer count
     * @param lost what the claimant holds without knowing it
     */
    record Free(Instant lockExpiry, LostClaims lost) {

        /** Returns the condition; its parameters are {@link #params()}. */
        String condition() {
            if (lost.holders().isEmpty()) {
                return "(locked_by IS NULL OR locked_at < ?)";
            }
            String known = lost.known().isEmpty()
                    ? ""
                    : " AND " + IdList.notAmong("event_id", lost.known().size());
            return "(locked_by IS NULL OR locked_at < ? OR ("
                    + IdList.among("locked_by", lost.holders().size()) + known + "))";
        }

        List<Object> params() {
            List<Object> params = new ArrayList<>();
            params.add(lockExpiry);
            params.addAll(lost.holders());
            params.addAll(lost.holders().isEmpty() ? List.of() : lost.known());
            return params;
        }
    }
}
