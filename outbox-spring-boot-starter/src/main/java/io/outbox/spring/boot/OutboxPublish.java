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
 * tell its consumers nothing, and silence would hide the mistake. Unless there is a {@link #condition} that it does not
 * meet.
 *
 * <p>{@link #payload} and {@link #condition} are SpEL expressions: {@code #result} is what the method returned,
 * parameters are known by their names, beans as {@code @name}, and the bean that the method belongs to is the root. The
 * other attributes are texts, which may have placeholders ({@code "${…}"}) and such expressions in {@code "#{…}"}. In
 * these and in the condition, {@code #payload} is what the event is published with: of a batch, the element.
 *
 * <pre>{@code
 * @OutboxPublish(eventType = "order-placed", condition = "#payload.total > 0", aggregateType = "Order",
 *         aggregateId = "#{#payload.id}", headers = "channel: #{#channel}", delay = "${orders.grace:5m}")
 * }</pre>
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OutboxPublish {

    /** The type of the event: one of {@code outbox.publisher.events}, or one that has a listener. */
    String eventType();

    /** An expression for the object to publish. The empty text means {@code #result}. */
    String payload() default "#result";

    /**
     * An expression that decides whether to publish an event; in a batch, it decides for each event. By default all are
     * published.
     */
    String condition() default "";

    /**
     * The name of the outbox, if there are several, as it was given to {@link OutboxFactory#create}. By default it is
     * that of the {@link OutboxPublisher} bean.
     */
    String outbox() default "";

    /** The type of what the event is about. By default there is none. */
    String aggregateType() default "";

    /** The id of what the event is about. By default there is none. */
    String aggregateId() default "";

    /** The message key where a broker has keys. By default the id of what the event is about. */
    String key() default "";

    /** The tenant. By default there is none. */
    String tenant() default "";

    /** Headers, each as {@code name: value}. One whose value is empty or null is left out. */
    String[] headers() default {};

    /**
     * How long delivery waits: a duration such as {@code 10m}, or an expression that gives one. By default not at all.
     */
    String delay() default "";
}
