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
 * Registers a bean that is an {@link io.outbox.EventListener} or {@link io.outbox.BatchEventListener} for the events of
 * one type. On a class, which thereby becomes a component, or on a {@code @Bean} method.
 *
 * <p>The event type is given by name, by class, or both; the aggregate type likewise, or not at all for events without
 * one. A class stands for the name of its single instance: an enum with one constant, or a class with a constructor
 * without parameters. An enum with several constants needs the name as well, and must have a constant of that name.
 *
 * <p>On a {@link io.outbox.BoundEventListener}, which has its types already, only {@link #outbox()} may be given.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Component
public @interface OutboxListener {

    /** The name of the event type. */
    String eventType() default "";

    /** The event type as a class. */
    Class<? extends EventType> eventTypeClass() default EventType.class;

    /** The name of the aggregate type. */
    String aggregateType() default "";

    /** The aggregate type as a class. */
    Class<? extends AggregateType> aggregateTypeClass() default AggregateType.class;

    /** The name that the outbox was given in {@link OutboxFactory#create}; by default the only outbox there is. */
    String outbox() default "";
}
