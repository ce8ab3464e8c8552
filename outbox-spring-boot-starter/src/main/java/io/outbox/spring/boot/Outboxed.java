package io.outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares how objects of a class become events. {@link io.outbox.OutboxPublisher#publish(Object)} follows it, and so
 * do application events: an object of this class that is published with Spring's {@link
 * org.springframework.context.ApplicationEventPublisher}, and so by {@code @DomainEvents} of Spring Data, is written as
 * an event in the current transaction. Its JSON is made by the outbox's codec.
 *
 * <p>Publishing fails without an active transaction, and if nobody would receive the event. Other listeners of the
 * application get the object as ever.
 *
 * <p>All texts may have placeholders ({@code "${…}"}), and expressions in {@code "#{…}"} whose root is the object:
 *
 * <pre>{@code
 * @Outboxed(aggregateType = "Order", aggregateId = "#{orderId}", headers = "region: #{address.region}")
 * record OrderPlaced(String orderId, Address address) {}
 * }</pre>
 */
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface Outboxed {

    /** The type of the event. By default the simple name of the class. */
    String type() default "";

    /**
     * Former names of the type. What waits in the outbox under one of them goes to the listeners of the class. A name
     * can be removed once nothing waits under it; {@code outbox.aliases} adds others.
     */
    String[] aliases() default {};

    /**
     * The version of the payload, from 1 on: raise it when objects of the class are written in a way that the code
     * before cannot read, or would misread, and add an {@link io.outbox.Upcaster} bean from the version before.
     */
    int version() default 1;

    /**
     * Where events of this class go: the topic in Kafka, the exchange in RabbitMQ. The same as {@code
     * outbox.publisher.events.<type>.topic}, with the expressions of that setting, which are about the stored event
     * ({@code "orders-#{headers['region']}"}), and for everything that is not set there. By default the class has no
     * part in this. Not found in a native image; name the topic in the settings there.
     */
    String topic() default "";

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

    /** The name that the outbox was given in {@link OutboxFactory#create}; by default the only outbox there is. */
    String outbox() default "";
}
