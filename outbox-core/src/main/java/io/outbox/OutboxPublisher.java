package io.outbox;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes objects as events, in the caller's transaction: the object becomes JSON, and goes to the listener, topic or
 * exchange of its event type once the transaction has committed. A {@code String} is taken as the payload's text and a
 * {@code byte[]} as its bytes, both as they are. Thread-safe.
 *
 * <p>Every method throws {@link IllegalStateException} without an active transaction.
 */
public interface OutboxPublisher {

    /** Publishes one event; of a {@link Collection} or an array of objects, each element as a separate event. */
    <T> void publish(String eventType, T event);

    /** Publishes the elements of a list, each as a separate event. */
    <T> void publish(String eventType, List<T> events);

    /**
     * Publishes an object as an event whose type is that of its class: the simple name, unless the application names it
     * otherwise. Of a {@link Collection} or an array of objects, each element is an event of its own.
     *
     * @throws IllegalArgumentException if the class says nothing about events, such as {@code String}
     */
    default void publish(Object event) {
        if (event instanceof Collection<?> events) {
            events.forEach(this::publish);
        } else if (event instanceof Object[] events) {
            publish(Arrays.asList(events));
        } else {
            event(event.getClass()).publish(event);
        }
    }

    /** Begins an event with more than a type and a payload. */
    Draft event(String eventType);

    /**
     * Begins an event whose type is that of its payload's class.
     *
     * @throws IllegalArgumentException if the class says nothing about events, such as {@code String}
     */
    default Draft event(Class<?> payload) {
        return event(EventType.nameOf(payload));
    }

    /** An event in the making. Not thread-safe. */
    interface Draft {

        /**
         * What the event is about; the id is the message key where a broker has keys, unless {@link #key} gives
         * another.
         */
        Draft aggregate(String aggregateType, @Nullable String aggregateId);

        /** The message key where a broker has keys. Without an {@link #aggregate} id, it is that, too. */
        Draft key(@Nullable String key);

        Draft tenant(@Nullable String tenantId);

        Draft header(String name, @Nullable String value);

        /** Delivers the event no sooner than this after it was published. */
        Draft delay(Duration delay);

        /**
         * Publishes the event with this payload, a collection or an array included, and returns its id, or {@code null}
         * if a hook suppressed it.
         */
        @Nullable
        String publish(Object payload);

        /**
         * Publishes the event without payload, to say that what has its key is gone: in Kafka a record without value,
         * which removes the key from a compacted topic. RabbitMQ has no such messages.
         *
         * @return the event's id, or {@code null} if a hook suppressed it
         */
        @Nullable
        String publishTombstone();
    }
}
