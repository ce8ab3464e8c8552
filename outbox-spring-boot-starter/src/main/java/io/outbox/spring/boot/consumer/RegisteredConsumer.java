package io.outbox.spring.boot.consumer;

import io.outbox.EventListener;
import io.outbox.inbox.EventIdExtractor;
import io.outbox.inbox.OutboxIdempotentConsumer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A consumer of the application, which gets others from where the application's consumers are known, and so cleaned up.
 */
record RegisteredConsumer(OutboxIdempotentConsumer consumer, Function<String, OutboxIdempotentConsumer> others)
        implements OutboxIdempotentConsumer {

    @Override
    public OutboxIdempotentConsumer named(String name) {
        return others.apply(name);
    }

    @Override
    public boolean isIdentified(Object message) {
        return consumer.isIdentified(message);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(T message, Supplier<R> operation) {
        return consumer.consumeReturning(message, operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(List<T> messages, Function<List<T>, R> operation) {
        return consumer.consumeReturning(messages, operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            T message, EventIdExtractor<? super T> extractor, Supplier<R> operation) {
        return consumer.consumeReturning(message, extractor, operation);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            List<T> messages, EventIdExtractor<? super T> extractor, Function<List<T>, R> operation) {
        return consumer.consumeReturning(messages, extractor, operation);
    }

    @Override
    public <R> Optional<R> consumeByIdReturning(String eventId, Supplier<R> operation) {
        return consumer.consumeByIdReturning(eventId, operation);
    }

    @Override
    public EventListener idempotent(EventListener listener) {
        return consumer.idempotent(listener);
    }
}
