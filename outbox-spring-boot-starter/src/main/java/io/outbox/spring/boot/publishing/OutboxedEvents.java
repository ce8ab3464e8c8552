package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Outboxed;
import java.util.function.Function;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;

/**
 * Writes application events whose class has {@link Outboxed} to the outbox, on the publishing thread and so in its
 * transaction, whatever executor the application gives to its other listeners.
 */
final class OutboxedEvents implements GenericApplicationListener {

    private final Function<String, OutboxPublisher> publishers;
    private final ObjectEvents objects;

    /** @param publishers gives the publisher of the outbox with this name; the empty name is that of the only outbox */
    OutboxedEvents(Function<String, OutboxPublisher> publishers, ObjectEvents objects) {
        this.publishers = publishers;
        this.objects = objects;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> type = eventType.as(PayloadApplicationEvent.class) == ResolvableType.NONE
                ? eventType.resolve()
                : eventType.as(PayloadApplicationEvent.class).getGeneric().resolve();
        return type == null || type == Object.class || ObjectEvents.annotation(type) != null;
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
        Outboxed annotation = ObjectEvents.annotation(published.getClass());
        if (annotation != null) {
            objects.draft(publishers.apply(objects.outbox(annotation)), published)
                    .publish(published);
        }
    }
}
