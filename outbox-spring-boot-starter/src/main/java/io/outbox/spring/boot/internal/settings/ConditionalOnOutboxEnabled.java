package io.outbox.spring.boot.internal.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/**
 * Met unless {@code outbox.enabled} is false. A separate annotation, so that a second property can be required beside
 * it: before Spring Boot 3.5, {@code @ConditionalOnProperty} cannot be repeated, and a repetition is ignored without a
 * message.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
public @interface ConditionalOnOutboxEnabled {}
