package io.outbox.model;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Dead events of one type that failed alike and that no operator has resolved. Where they are no dead letters, it is
 * not known when they failed: the times are those at which they were written.
 *
 * @param fingerprint what their errors have in common
 * @param count how many there are, or at least are
 * @param exact whether there are no more than that: counting stops at some point
 * @param firstAt when the first of their first failures was
 * @param lastAt when the last of their last failures was
 * @param error the error of one of them
 * @param lately how many failed within {@link #LATELY}, or at least did; {@code null} if it is not known when they
 * failed
 */
public record FailureGroup(
        String eventType,
        String fingerprint,
        long count,
        boolean exact,
        Instant firstAt,
        Instant lastAt,
        @Nullable String error,
        @Nullable Long lately) {

    /** The period that counts as recent: minutes, to show what is failing now. */
    public static final Duration LATELY = Duration.ofMinutes(5);
}
