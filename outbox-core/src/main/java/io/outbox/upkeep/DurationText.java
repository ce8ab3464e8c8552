package io.outbox.upkeep;

import java.time.Duration;

/** Durations as people write them in settings, for log lines and messages. */
public final class DurationText {

    /** Nobody reads the milliseconds of a longer one, and the longest there is has too many for a number. */
    private static final long LONGEST_IN_MILLIS = 86_400;

    private DurationText() {}

    /** Returns the duration in the largest unit that fits without a rest, such as {@code 5s} or {@code 7d}. */
    public static String of(Duration duration) {
        long seconds = duration.getSeconds();
        boolean isWhole = duration.getNano() < 1_000_000;
        if (seconds == 0 || (!isWhole && seconds < LONGEST_IN_MILLIS)) {
            return duration.toMillis() + "ms";
        }
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    /** Returns the duration as measured, without the rest that nobody reads: of ten seconds and more, whole ones. */
    public static String about(Duration duration) {
        return of(duration.toSeconds() < 10 ? duration : Duration.ofSeconds(duration.toSeconds()));
    }
}
