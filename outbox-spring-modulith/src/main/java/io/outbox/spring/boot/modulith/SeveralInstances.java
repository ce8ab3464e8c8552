package io.outbox.spring.boot.modulith;

import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.modulith.events.ExternalizationMode;
import org.springframework.util.StringUtils;

/**
 * Lets the instances of an application share its events, if nothing is said about it: all have the same settings, and
 * in single-node mode each would deliver everything. The same holds for event types that the outbox publishes itself.
 * An empty setting says nothing, so the mode comes before it.
 */
final class SeveralInstances implements EnvironmentPostProcessor, Ordered {

    private static final String MODE = "outbox.mode";

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        boolean takesPart = ExternalizationMode.from(environment) == ExternalizationMode.OUTBOX
                || environment.getProperty("outbox.modulith.listeners", boolean.class, false);
        boolean decided = Stream.of(MODE, "outbox.claim-locking.enabled", "outbox.publisher.enabled")
                .map(environment::getProperty)
                .anyMatch(StringUtils::hasText);
        if (takesPart && !decided) {
            environment
                    .getPropertySources()
                    .addFirst(new MapPropertySource("outboxModulith", Map.of(MODE, "multi-node")));
        }
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
