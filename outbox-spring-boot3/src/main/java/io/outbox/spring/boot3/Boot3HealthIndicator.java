package io.outbox.spring.boot3;

import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** A health indicator of Spring Boot 3 on top of a check that knows no version of Spring Boot. */
public final class Boot3HealthIndicator extends AbstractHealthIndicator {

    private final Supplier<Report> check;

    /** Creates an indicator that runs the check each time it is asked; a check that throws is down. */
    public Boot3HealthIndicator(Supplier<Report> check) {
        super("The outbox cannot be checked");
        this.check = Objects.requireNonNull(check, "check");
    }

    /** The result of a check. */
    public record Report(boolean up, Map<String, Object> details) {}

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Report report = check.get();
        (report.up() ? builder.up() : builder.down()).withDetails(report.details());
    }
}
