package io.outbox.spring.boot.publishing;

import io.outbox.EventType;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxPublisher.Draft;
import io.outbox.spring.boot.Outboxed;
import io.outbox.spring.boot.internal.texts.OutboxedClasses;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** The events that objects become, by their class and by {@link Outboxed}. Thread-safe. */
final class ObjectEvents {

    private final UnaryOperator<String> placeholders;
    private final Map<Class<?>, OutboxedPublication> publications = new ConcurrentHashMap<>();

    ObjectEvents(UnaryOperator<String> placeholders) {
        this.placeholders = placeholders;
    }

    /** Returns the annotation of a class, or {@code null}. */
    static Outboxed annotation(Class<?> type) {
        return AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class);
    }

    /** Returns the event type of a class, as listeners have it. */
    String eventType(Class<?> payload) {
        Class<?> type = ClassUtils.getUserClass(payload);
        String eventType = OutboxedClasses.typeOf(type);
        if (eventType != null && !eventType.isEmpty()) {
            return placeholders.apply(eventType);
        }
        Outboxed annotation = annotation(type);
        if (annotation != null && !annotation.type().isEmpty()) {
            throw new IllegalArgumentException("@Outboxed on " + type.getName()
                    + " computes the event type of each object: use publish(object), or event(eventType)");
        }
        return EventType.nameOf(type);
    }

    /** Returns the version that a class gives to its payloads, or 0 if it gives none. */
    int version(Class<?> payload) {
        return OutboxedClasses.versionOf(ClassUtils.getUserClass(payload));
    }

    /** Begins the event of an object, with everything that its annotation says. */
    Draft draft(OutboxPublisher publisher, Object object) {
        Class<?> type = ClassUtils.getUserClass(object);
        Outboxed annotation = annotation(type);
        return annotation == null
                ? publisher.event(eventType(type))
                : publications
                        .computeIfAbsent(type, key -> new OutboxedPublication(key, annotation, placeholders))
                        .draft(object, publisher);
    }

    String outbox(Outboxed annotation) {
        return placeholders.apply(annotation.outbox());
    }
}
