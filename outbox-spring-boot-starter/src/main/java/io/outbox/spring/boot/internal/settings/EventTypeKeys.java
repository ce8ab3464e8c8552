package io.outbox.spring.boot.internal.settings;

import java.util.regex.Pattern;

/** The keys of settings that are given by event type. */
final class EventTypeKeys {

    private static final Pattern UNIFORM = Pattern.compile("[a-z0-9][a-z0-9-]*");

    private EventTypeKeys() {}

    /** Returns the key for an event type, in brackets where the type would not survive without. */
    static String of(String prefix, String eventType) {
        return prefix + (UNIFORM.matcher(eventType).matches() ? "." + eventType : "[" + eventType + "]");
    }
}
