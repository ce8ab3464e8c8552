package io.outbox.spring.boot.internal.delivery;

import java.time.Duration;
import java.util.Locale;

/** Values in the words in which an application sets them. */
final class SettingText {

    private SettingText() {}

    /** Returns a duration in the largest unit that fits without a rest, such as {@code 5s} or {@code 7d}. */
    static String of(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0 || millis % 1000 != 0) {
            return millis + "ms";
        }
        long seconds = millis / 1000;
        if (seconds % 86_400 == 0) {
            return seconds / 86_400 + "d";
        }
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "h";
        }
        return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }

    /** Returns a constant as it is written in settings, such as {@code single-node}. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
