package io.outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets a listener have its effect once for each event, however often the event is delivered: it is called in a
 * transaction in which the event is marked as consumed, and not at all for an event that is marked already. For effects
 * in the database of the {@link io.outbox.inbox.OutboxIdempotentConsumer}. Needs {@code outbox.consumer.enabled=true}.
 *
 * <p>On a listener method, or on a class for all its listener methods; on what has {@link OutboxListener}. The listener
 * must not begin a transaction of its own (propagation {@code REQUIRES_NEW}) for its effect: mark and effect would no
 * longer commit together.
 */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Idempotent {

    /**
     * The consumer's name, which separates its marks from those of other consumers; it may contain placeholders. By
     * default the name of the application's consumer, a slash, and the name of the listener, so that two listeners for
     * the same events do not take them from each other. The name is stored: give it here if the listener may be
     * renamed.
     */
    String consumer() default "";
}
