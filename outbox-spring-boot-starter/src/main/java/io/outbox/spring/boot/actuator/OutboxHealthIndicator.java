package io.outbox.spring.boot.actuator;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health indicator of the outbox for Spring Boot 4. */
final class OutboxHealthIndicator extends AbstractHealthIndicator {

    private final OutboxHealthCheck check;

    OutboxHealthIndicator(OutboxHealthCheck check) {
        super("The outbox cannot be checked");
        this.check = check;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        OutboxHealthCheck.Result result = check.check();
        (result.up() ? builder.up() : builder.down()).withDetails(result.details());
    }
}
