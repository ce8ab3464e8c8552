package io.outbox.redis;

import java.time.Instant;

/** Times as Redis keeps them: microseconds since 1970, which a sorted set's score holds exactly until the year 2255. */
final class Micros {

    /** Digits that sort as the times do; times lie within 28,000 years of 1970. */
    private static final long SORTABLE_OFFSET = 1_000_000_000_000_000_000L;

    private static final long MAX_SECONDS = 900_000_000_000L;

    private Micros() {}

    static long of(Instant time) {
        long seconds = Math.max(-MAX_SECONDS, Math.min(MAX_SECONDS, time.getEpochSecond()));
        return seconds * 1_000_000 + time.getNano() / 1_000;
    }

    static String text(Instant time) {
        return Long.toString(of(time));
    }

    static Instant instant(String text) {
        return instant(Long.parseLong(text));
    }

    static Instant instant(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
    }

    /** Returns the time in 19 digits whose order is that of the times. */
    static String sortable(Instant time) {
        String digits = Long.toString(SORTABLE_OFFSET + of(time));
        return digits.length() == 19 ? digits : "0".repeat(19 - digits.length()) + digits;
    }

    static Instant fromSortable(String digits) {
        return instant(Long.parseLong(digits) - SORTABLE_OFFSET);
    }
}
