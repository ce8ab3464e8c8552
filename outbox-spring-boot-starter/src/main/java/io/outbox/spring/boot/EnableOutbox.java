package io.outbox.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Import;

/**
 * Configures the outbox. With Spring Boot's auto-configuration it is optional and changes nothing; without, it does
 * what auto-configuration would do, after all other configuration of the application.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(OutboxConfigurations.class)
public @interface EnableOutbox {}
