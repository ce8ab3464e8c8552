package io.outbox.internal.polling;

import java.time.Duration;
import java.time.Instant;

/**
 * From when on there can be pending events, as the last looks have shown.
 *
 * @param late the bound for transactions that commit late and clocks that differ
 * @param recent the bound for all others, by which much fewer finished entries are passed over
 */
record Bound(Instant late, Instant recent) {

    /** Earlier than any time at which an event can be due; databases do not go back further. */
    static final Instant FRONT = Instant.parse("1000-01-01T00:00:00Z");

    static final Bound NONE = new Bound(FRONT, FRONT);

    private static final Duration LATE = Duration.ofSeconds(10);
    private static final Duration RECENT = Duration.ofSeconds(1);

    Instant at(LookDepth depth) {
        return switch (depth) {
            case FRONT -> FRONT;
            case LATE -> late;
            case RECENT -> recent;
        };
    }

    /**
     * Returns the bound after a look. One that did not go far back says nothing about what was committed late.
     *
     * @param first when the first pending event is due that it has found; {@code null} if there is none
     */
    Bound after(LookDepth depth, Instant first, Instant now) {
        Instant open = first != null && first.isBefore(now) ? first : now;
        return new Bound(depth == LookDepth.RECENT ? late : open.minus(LATE), open.minus(RECENT));
    }

    /** Returns the bound after a pending event was found elsewhere. */
    Bound upTo(Instant pending) {
        return new Bound(earlier(late, pending.minus(LATE)), earlier(recent, pending.minus(RECENT)));
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }
}
