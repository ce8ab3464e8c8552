package io.outbox.spring.boot.internal.declaring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.temporal.ChronoUnit;

/**
 * What the name and the type of a setting's field do not say. Together with its Javadoc and its initial value the field
 * is the only place where a setting is declared. On the field of a nested class, for all settings in there.
 */
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Setting {

    /** What its value must fulfil. */
    Rule rule() default Rule.ANY;

    /**
     * The unit of a second name under which a duration can be given as a number: with {@code -ms} or {@code -seconds}.
     */
    ChronoUnit orNumberOf() default ChronoUnit.FOREVER;

    /** The key of the setting that this is another name for. */
    String meaning() default "";

    /** When it has no effect. */
    Circumstance[] noEffect() default {};
}
