package io.outbox.jdbc.internal;

import java.time.Instant;

/**
 * Reads the text of an SQL timestamp in UTC, as {@code 2026-11-18 09:30:00.25}. Drivers make an object of a date of it
 * by way of dozens of calls, which is most of what a JVM that has just been started does with a row.
 */
public final class SqlText {

    private static final int SECONDS_END = 19;
    private static final int MICROS_END = 26;
    private static final int NANO_DIGITS = 9;
    private static final int DAYS_TO_1970_FROM_MARCH_OF_YEAR_0 = 719_468;
    private static final int SECONDS_PER_DAY = 86_400;

    private SqlText() {}

    /** Returns the time, or {@code null} if the text has another form. */
    public static Instant instant(String text) {
        int length = text.length();
        if (length < SECONDS_END || length > MICROS_END || !isPunctuated(text, length)) {
            return null;
        }
        int year = number(text, 0, 4);
        int month = number(text, 5, 7);
        int day = number(text, 8, 10);
        int hour = number(text, 11, 13);
        int minute = number(text, 14, 16);
        int second = number(text, 17, SECONDS_END);
        int fraction = length == SECONDS_END ? 0 : number(text, SECONDS_END + 1, length);
        if ((year | month | day | hour | minute | second | fraction) < 0) {
            return null;
        }
        for (int digits = length - SECONDS_END - 1; fraction > 0 && digits < NANO_DIGITS; digits++) {
            fraction *= 10;
        }
        long seconds = days(year, month, day) * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
        return Instant.ofEpochSecond(seconds, fraction);
    }

    private static boolean isPunctuated(String text, int length) {
        return text.charAt(4) == '-'
                && text.charAt(7) == '-'
                && text.charAt(10) == ' '
                && text.charAt(13) == ':'
                && text.charAt(16) == ':'
                && (length == SECONDS_END || length > SECONDS_END + 1 && text.charAt(SECONDS_END) == '.');
    }

    /** Returns the digits as a number; negative if there is something else among them. */
    private static int number(String text, int from, int to) {
        int number = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return number;
    }

    /** Returns the days since 1970. Years count from March here, so that a leap day is the last day of one. */
    private static long days(int year, int month, int day) {
        int years = month > 2 ? year : year - 1;
        int months = month > 2 ? month - 3 : month + 9;
        return 365L * years
                + Math.floorDiv(years, 4)
                - Math.floorDiv(years, 100)
                + Math.floorDiv(years, 400)
                + (153 * months + 2) / 5
                + day
                - 1
                - DAYS_TO_1970_FROM_MARCH_OF_YEAR_0;
    }
}
