package io.outbox.spring.boot.consumer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.outbox.EventListener;
import io.outbox.OutboxHeaders;
import io.outbox.inbox.EventIdExtractor;
import io.outbox.inbox.HeaderReaders;
import io.outbox.inbox.OutboxIdempotentConsumer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A consumer whose operations are observed as the continuation of the trace that the message brings.
 *
 * <p>Where a listener container is observed itself, it has continued that trace already, and its observation is the
 * parent. Otherwise a batch has an observation for each of its messages, since each may belong to another trace; the
 * first one's is current during the call. Events that are skipped are not observed.
 */
final class ObservedConsumer implements OutboxIdempotentConsumer {

    static final String NAME = "outbox.consume";

    private final String name;
    private final OutboxIdempotentConsumer consumer;
    private final ObservationRegistry registry;
    private final HeaderReaders headers;

    ObservedConsumer(
            String name, OutboxIdempotentConsumer consumer, ObservationRegistry registry, HeaderReaders headers) {
        this.name = name;
        this.consumer = consumer;
        this.registry = registry;
        this.headers = headers;
    }

    @Override
    public OutboxIdempotentConsumer named(String other) {
        return new ObservedConsumer(other, consumer.named(other), registry, headers);
    }

    @Override
    public boolean isIdentified(Object message) {
        return consumer.isIdentified(message);
    }

    @Override
    public <T, R> Optional<R> consumeReturning(T message, Supplier<R> operation) {
        Objects.requireNonNull(operation, "operation");
        return consumer.consumeReturning(message, () -> observe(List.of(message), operation));
    }

    @Override
    public <T, R> Optional<R> consumeReturning(List<T> messages, Function<List<T>, R> operation) {
        Objects.requireNonNull(operation, "operation");
        return consumer.consumeReturning(messages, fresh -> observe(List.copyOf(fresh), () -> operation.apply(fresh)));
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            T message, EventIdExtractor<? super T> extractor, Supplier<R> operation) {
        Objects.requireNonNull(operation, "operation");
        return consumer.consumeReturning(message, extractor, () -> observe(List.of(message), operation));
    }

    @Override
    public <T, R> Optional<R> consumeReturning(
            List<T> messages, EventIdExtractor<? super T> extractor, Function<List<T>, R> operation) {
        Objects.requireNonNull(operation, "operation");
        return consumer.consumeReturning(
                messages, extractor, fresh -> observe(List.copyOf(fresh), () -> operation.apply(fresh)));
    }

    @Override
    public <R> Optional<R> consumeByIdReturning(String eventId, Supplier<R> operation) {
        Objects.requireNonNull(operation, "operation");
        return consumer.consumeByIdReturning(eventId, () -> observe(List.of(eventId), operation));
    }

    /** Calls of listeners are observed by the outbox. */
    @Override
    public EventListener idempotent(EventListener listener) {
        return consumer.idempotent(listener);
    }

    private <R> R observe(List<?> messages, Supplier<R> operation) {
        List<Observation> started = isContinued()
                ? List.of(start(messages.get(0), Observation.Context::new))
                : messages.stream().map(this::continued).toList();
        Observation.Scope scope = started.get(0).openScope();
        try {
            return operation.get();
        } catch (Throwable e) {
            started.forEach(observation -> observation.error(e));
            throw e;
        } finally {
            scope.close();
            started.forEach(Observation::stop);
        }
    }

    /** Returns whether somebody has continued the trace of what was received. */
    private boolean isContinued() {
        Observation current = registry.getCurrentObservation();
        return current != null && current.getContextView() instanceof ReceiverContext<?>;
    }

    private Observation continued(Object message) {
        return start(message, () -> headers.canRead(message) ? received(message) : new Observation.Context());
    }

    private ReceiverContext<Object> received(Object message) {
        ReceiverContext<Object> context = new ReceiverContext<>(this::text, Kind.CONSUMER);
        context.setCarrier(message);
        return context;
    }

    private Observation start(Object message, Supplier<Observation.Context> context) {
        String type = headers.canRead(message) ? text(message, OutboxHeaders.EVENT_TYPE.getValue()) : null;
        return Observation.createNotStarted(NAME, context, registry)
                .contextualName((type == null ? "event" : type) + " consume")
                .lowCardinalityKeyValue("outbox.consumer", name)
                .lowCardinalityKeyValue("outbox.event.type", type == null ? "none" : type)
                .start();
    }

    private String text(Object message, String header) {
        Object value = headers.header(message, header);
        if (value instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        return value == null ? null : value.toString();
    }
}
