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
     * @param arrays whether the database takes many ids as one parameter
     */
    record Free(Instant lockExpiry, LostClaims lost, boolean arrays) {

        /** Databases and drivers take 65,535 parameters, or a few more. */
        private static final int MOST_PARAMETERS = 30_000;

        /** Some 30 MB. */
        private static final int MOST_IN_ARRAYS = 1_000_000;

        /**
         * Returns the same for a statement that has the condition several times. If the claimant holds too many events
         * to name all of them so often, what it has lost waits until it holds fewer, or until the lease is over.
         */
        Free times(int count) {
            long ids = (long) count * lost.known().size();
            return ids <= (arrays ? MOST_IN_ARRAYS : MOST_PARAMETERS)
                    ? this
                    : new Free(lockExpiry, LostClaims.NONE, arrays);
        }

        /** Returns the condition; its parameters are {@link #params()}. */
        String condition() {
            return lost.holders().isEmpty()
                    ? "(locked_by IS NULL OR locked_at < ?)"
                    : "(locked_by IS NULL OR locked_at < ? OR ("
                            + IdList.among("locked_by", lost.holders().size()) + unknown() + "))";
        }

        private String unknown() {
            if (lost.known().isEmpty()) {
                return "";
            }
            return " AND "
                    + (arrays
                            ? "event_id <> ALL(?)"
                            : IdList.notAmong("event_id", lost.known().size()));
        }

        List<Object> params() {
            List<Object> params = new ArrayList<>();
            params.add(lockExpiry);
            params.addAll(lost.holders());
            if (lost.holders().isEmpty() || lost.known().isEmpty()) {
                return params;
            }
            if (arrays) {
                params.add(lost.known().toArray(String[]::new));
            } else {
                params.addAll(lost.known());
            }
            return params;
        }
    }
}
