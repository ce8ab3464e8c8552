package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Outboxed;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Writes application events whose class has {@link Outboxed} to the outbox, on the publishing thread and so in its
 * transaction, whatever executor the application gives to its other listeners.
 */
final class OutboxedEvents implements GenericApplicationListener {

    private final Function<String, OutboxPublisher> publishers;
    private final UnaryOperator<String> placeholders;
    private final Map<Class<?>, OutboxedPublication> publications = new ConcurrentHashMap<>();

    /** @param publishers gives the publisher of the outbox with this name; the empty name is that of the only outbox */
    OutboxedEvents(Function<String, OutboxPublisher> publishers, UnaryOperator<String> placeholders) {
        this.publishers = publishers;
        this.placeholders = placeholders;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> type = eventType.as(PayloadApplicationEvent.class) == ResolvableType.NONE
                ? eventType.resolve()
                : eventType.as(PayloadApplicationEvent.class).getGeneric().resolve();
        return type == null || type == Object.class || annotation(type) != null;
    }

    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        Object published = event instanceof PayloadApplicationEvent<?> payload ? payload.getPayload() : event;
        Outboxed annotation = annotation(published.getClass());
        if (annotation != null) {
            publications
                    .computeIfAbsent(
                            published.getClass(), type -> new OutboxedPublication(type, annotation, placeholders))
                    .publish(published, publishers.apply(placeholders.apply(annotation.outbox())));
        }
    }

    private static Outboxed annotation(Class<?> type) {
        return AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class);
    }
}
