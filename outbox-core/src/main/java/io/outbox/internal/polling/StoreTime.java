package io.outbox.internal.polling;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * The time by which events are due: on the store's clock where events are claimed, else on this node's. Thread-safe.
 */
final class StoreTime {

    private final PageReader reader;
    private final PollTarget target;
    private final Clock clock;
    private final boolean isShared;
    private volatile Duration ahead = Duration.ZERO;

    StoreTime(PageReader reader, PollTarget target, PollSettings settings) {
        this.reader = reader;
        this.target = target;
        this.clock = settings.clock();
        this.isShared = settings.lease() != null;
    }

    /**
     * Reads the time by which a walk that begins now tells what is due. The difference of clocks is taken here, the
     * moment the store's clock is read: a walk may be told a time of before.
     */
    Instant read() {
        Instant time = reader.time();
        if (isShared) {
            ahead = Duration.between(clock.instant(), time);
            target.storeIsAhead(ahead);
        }
        return time;
    }

    /** Returns the time by what is known of the store's clock, without asking for it. */
    Instant estimate() {
        return clock.instant().plus(ahead);
    }
}
