package io.outbox.spring.boot.internal.settings;

import java.util.Locale;

/** Values in the words in which an application sets them. */
final class SettingText {

    private SettingText() {}

    /** Returns a constant as it is written in settings, such as {@code single-node}. */
    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
