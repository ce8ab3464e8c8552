package io.outbox.spring.boot.actuator;

import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Met unless {@code management.health.outbox.enabled}, or else {@code management.health.defaults.enabled}, is false:
 * the rule of Spring Boot's own condition, which the two generations have in different packages.
 */
final class OnOutboxHealth implements Condition {

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        boolean byDefault = environment.getProperty("management.health.defaults.enabled", boolean.class, true);
        return environment.getProperty("management.health.outbox.enabled", boolean.class, byDefault);
    }
}
