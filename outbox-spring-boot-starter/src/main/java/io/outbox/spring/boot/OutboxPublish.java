package io.outbox.spring.boot;

import io.outbox.OutboxPublisher;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Publishes an event when the method returns, in the transaction that the method runs in, as
 * {@link OutboxPublisher#publish(String, Object)} does. If the method throws, nothing is published.
 *
 * <p>The method needs an active transaction, usually by {@code @Transactional} on itself or on its class; without one
 * the call fails before the method begins. It is intercepted by a proxy, so a call from within the same bean publishes
 * nothing, and methods that are private, static or final are refused at start-up.
 *
 * <p>Each element of a {@code Collection} or of an array of objects becomes an event of its own; an empty one publishes
 * nothing. A payload that is {@code null} fails the call, and with it the transaction: an event without content would
 * tell its consumers nothing, and silence would hide the mistake.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OutboxPublish {

    /** The type of the event: one of {@code outbox.publisher.events}, or one that has a listener. */
    String eventType();

    /**
     * What is published, a SpEL expression: {@code #result} is what the method returned, parameters are known by their
     * names, beans as {@code @name}, and the bean that the method belongs to is the root.
     */
    String payload() default "#result";
}
