package io.outbox.spring.boot;

import io.outbox.AggregateType;
import io.outbox.EventType;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.stereotype.Component;

/**
 * Makes a method of a bean, or a bean, the listener for the events of one type, or of several.
 *
 * <p><b>On a method</b> of a bean, whatever the bean is otherwise. Its parameters are found by their types, in any
 * order and each at most once:
 *
 * <ul>
 *   <li>the payload: of any type but those below, read by the outbox's codec; {@code String} and {@code byte[]} are the
 *       payload as it was written
 *   <li>{@link io.outbox.EventEnvelope}: the event with its id, headers and aggregate
 *   <li>{@link io.outbox.DeliveryInfo}: which attempt this is
 *   <li>a {@code List} of one of these makes the method a batch listener, which takes what is queued in one call; then every
 *       parameter is a list. A payload that is itself a list needs another type, such as an array
 * </ul>
 *
 * It returns nothing, which means that the event is done, or a {@link io.outbox.DispatchResult}; a batch listener
 * returns nothing, or a list of {@link io.outbox.BatchOutcome} or {@code DispatchResult}, one for each event. Whatever
 * it throws, checked exceptions included, counts as a failed attempt as with any {@link io.outbox.EventListener}. It is
 * called through the bean's proxy, so {@code @Transactional} and the like apply.
 *
 * <p>Without an event type the payload's class gives it: by its {@link Outboxed} annotation, or else by its simple
 * name. Arrays and classes of the Java platform, such as {@code String}, give none.
 *
 * <p>An interface or an abstract class as payload stands for the classes that implement it, each under its own event
 * type: those that it permits if it is sealed, those of {@link #payloads()}, or else those that are known: the payloads
 * of other listeners, and classes with {@link Outboxed} in the packages of the application. A listener for a type or
 * its class comes before one for a supertype.
 *
 * <p><b>On a class</b>, which thereby becomes a component, or on a {@code @Bean} method: registers a bean that is an
 * {@link io.outbox.EventListener} or {@link io.outbox.BatchEventListener}. On a {@link io.outbox.BoundEventListener},
 * which has its types already, only {@link #outbox()} may be given.
 *
 * <p>The event type is given by name, by class, or both; the aggregate type likewise, or not at all for events without
 * one. A class stands for the name of its single instance: an enum with one constant, or a class with a constructor
 * without parameters. An enum with several constants needs the name as well, and must have a constant of that name.
 *
 * <p>A listener with one of {@link #concurrency()}, {@link #maxAttempts()}, {@link #backoffDelay()}, {@link
 * #rateLimit()} or {@link #batchSize()} has a lane of its own: its events have their own queue and workers, so that
 * other events do not wait for them. The same settings can be made, and overridden, by {@code
 * outbox.listeners.<name>.*}. All texts may have placeholders ({@code "${…}"}).
 */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Component
public @interface OutboxListener {

    /** The name of the event type; {@code *} stands for all types without their own listener. */
    String eventType() default "";

    /** The names of several event types, in place of one. */
    String[] eventTypes() default {};

    /** The classes of several payloads, each of which has its own event type. */
    Class<?>[] payloads() default {};

    /** The event type as a class. */
    Class<? extends EventType> eventTypeClass() default EventType.class;

    /** The name of the aggregate type. */
    String aggregateType() default "";

    /** The aggregate type as a class. */
    Class<? extends AggregateType> aggregateTypeClass() default AggregateType.class;

    /** The name that the outbox was given in {@link OutboxFactory#create}; by default the only outbox there is. */
    String outbox() default "";

    /**
     * Makes this one of several listeners for the same events, each with its own retries and fate: with every event a
     * row is written for each name, see {@link io.outbox.Subscription}. The name is stored, so it must stay. Beside
     * those with names there may be one listener without.
     */
    String subscription() default "";

    /**
     * The name for {@code outbox.listeners.<name>.*}. By default the subscription, or else the name of the bean,
     * followed by a dot and the name of the method if there is one.
     */
    String name() default "";

    /**
     * The name of a method of the same bean that is called when an event is about to go DEAD, see {@link
     * io.outbox.EventFallback}. It takes the payload, {@link io.outbox.EventEnvelope}, {@link io.outbox.DeliveryInfo}
     * and the exception as {@code Throwable} or {@code Exception}, in any order and each at most once, and returns
     * nothing. Only on methods.
     */
    String fallback() default "";

    /** How many calls run at the same time. In a lane of its own, by default, one. */
    String concurrency() default "";

    /** How often an event is tried before it goes DEAD. By default as often as in the outbox. */
    String maxAttempts() default "";

    /** The pause before the second attempt, such as {@code 500ms}. By default as in the outbox. */
    String backoffDelay() default "";

    /**
     * What the pause is multiplied by with each further attempt. By default 2, if there is a {@link #backoffDelay()}.
     */
    String backoffMultiplier() default "";

    /** The longest pause. By default as in the outbox, if there is a {@link #backoffDelay()}. */
    String backoffMaxDelay() default "";

    /** The largest number of events per second. By default there is no limit. */
    String rateLimit() default "";

    /** How many events are read, and handed to a batch listener, at a time. By default as in the outbox. */
    String batchSize() default "";
}
