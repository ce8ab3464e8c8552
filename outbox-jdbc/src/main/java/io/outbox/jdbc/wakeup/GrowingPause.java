package io.outbox.jdbc.wakeup;

import java.time.Duration;

/** The pause between two tries: each is twice as long as the one before, up to a longest one. For one thread. */
final class GrowingPause {

    private final Duration first;
    private final Duration longest;
    private Duration next;

    GrowingPause(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    Duration next() {
        Duration now = next;
        Duration twice = now.multipliedBy(2);
        next = twice.compareTo(longest) < 0 ? twice : longest;
        return now;
    }

    /** Begins anew, since a try has succeeded. */
    void reset() {
        next = first;
    }
}
