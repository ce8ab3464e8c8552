package io.outbox.spring.boot.internal.texts;

import io.outbox.spring.boot.Outboxed;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** The event types that follow from the classes of payloads. */
public final class EventTypes {

    private static final String EXPRESSION = "#{";
    private static final String PLATFORM = "java.";

    private EventTypes() {}

    /**
     * Returns the type that {@link Outboxed} gives to a class, perhaps with placeholders, or else its simple name; {@code
     * null} if each event of the class computes its own, or if the class, such as {@code String}, says nothing about events.
     */
    public static String of(Class<?> payload) {
        Outboxed annotation = AnnotatedElementUtils.findMergedAnnotation(payload, Outboxed.class);
        String type = annotation == null ? "" : annotation.type();
        if (type.contains(EXPRESSION)) {
            return null;
        }
        if (!type.isEmpty()) {
            return type;
        }
        return payload.isArray() || payload.getPackageName().startsWith(PLATFORM) ? null : payload.getSimpleName();
    }
}
