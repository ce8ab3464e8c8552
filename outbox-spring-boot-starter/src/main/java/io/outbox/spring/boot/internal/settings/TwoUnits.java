package io.outbox.spring.boot.internal.settings;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Settings that can be given as a duration, or under another name as a number. Both are the same property. */
record TwoUnits(String key, String suffix, ChronoUnit unit) {

    private static final List<TwoUnits> ALL = List.of(
            new TwoUnits("outbox.dispatcher.drain-timeout", "-ms", ChronoUnit.MILLIS),
            new TwoUnits("outbox.poller.interval", "-ms", ChronoUnit.MILLIS),
            new TwoUnits("outbox.poller.skip-recent", "-ms", ChronoUnit.MILLIS),
            new TwoUnits("outbox.purge.interval", "-seconds", ChronoUnit.SECONDS),
            new TwoUnits("outbox.retry.base-delay", "-ms", ChronoUnit.MILLIS),
            new TwoUnits("outbox.retry.max-delay", "-ms", ChronoUnit.MILLIS));

    /** Refuses two values for one setting. */
    static void check(ExplicitSettings explicit) {
        ALL.forEach(setting -> setting.checkAlike(explicit));
    }

    /** Returns the name under which the application gives the setting, or the duration's if it does not. */
    static String chosen(ExplicitSettings explicit, String key) {
        return ALL.stream()
                .filter(setting -> setting.key.equals(key))
                .map(TwoUnits::numberKey)
                .filter(explicit::has)
                .findFirst()
                .orElse(key);
    }

    private String numberKey() {
        return key + suffix;
    }

    private void checkAlike(ExplicitSettings explicit) {
        if (explicit.has(key) && explicit.has(numberKey())) {
            Duration duration = explicit.value(key, Duration.class).orElseThrow();
            long number = explicit.value(numberKey(), Long.class).orElseThrow();
            Rules.require(
                    duration.equals(Duration.of(number, unit)),
                    numberKey(),
                    number,
                    "means the same setting as " + key + ", which is " + duration + "; set one of them");
        }
    }
}
