package io.outbox.dispatch;

import java.time.Duration;
import java.util.Objects;

/** The delays that policies take. */
final class Delays {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3650);

    private Delays() {}

    static long millis(Duration delay, String name) {
        Objects.requireNonNull(delay, name);
        if (delay.compareTo(SHORTEST) < 0 || delay.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be at least 1 ms and at most 10 years: " + delay);
        }
        return delay.toMillis();
    }
}
