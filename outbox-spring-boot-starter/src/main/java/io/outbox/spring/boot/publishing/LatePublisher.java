package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import java.util.List;
import java.util.function.Supplier;

/** A publisher of an outbox that may not be there yet, because it is built from what publishes. */
final class LatePublisher implements OutboxPublisher {

    private final Supplier<OutboxPublisher> publisher;

    LatePublisher(Supplier<OutboxPublisher> publisher) {
        this.publisher = publisher;
    }

    @Override
    public <T> void publish(String eventType, T event) {
        publisher.get().publish(eventType, event);
    }

    @Override
    public <T> void publish(String eventType, List<T> events) {
        publisher.get().publish(eventType, events);
    }

    @Override
    public void publish(Object event) {
        publisher.get().publish(event);
    }

    @Override
    public Draft event(String eventType) {
        return publisher.get().event(eventType);
    }

    @Override
    public Draft event(Class<?> payload) {
        return publisher.get().event(payload);
    }
}
