package io.outbox.dispatch;

import java.math.BigDecimal;
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

    /** Returns a delay as it is said: 200 ms, 1.5 s, 30 s, 5 min. */
    static String words(long millis) {
        if (millis < 1000) {
            return millis + " ms";
        }
        BigDecimal seconds = BigDecimal.valueOf(millis, 3).stripTrailingZeros();
        return millis >= 120_000 && millis % 60_000 == 0 ? millis / 60_000 + " min" : seconds.toPlainString() + " s";
    }
}
