package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.testservers.support.LogLines;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Keys below {@code outbox} that nobody reads. */
class UnknownKeysTest {

    private static List<String> warnings(ApplicationContextRunner runner) {
        try (LogLines log = new LogLines()) {
            runner.run(context -> assertThat(context).hasNotFailed());
            return log.at(Level.WARNING).stream()
                    .filter(line -> line.contains("is not a setting of the outbox"))
                    .toList();
        }
    }

    /** Settings as a file has them; those of the runner count as system properties. */
    private static ApplicationContextRunner with(Map<String, Object> settings) {
        return TestApplication.runner()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addLast(new MapPropertySource("application file", settings)));
    }

    @Test
    void areWarnedAboutWithTheNameThatWasMeant() {
        assertThat(warnings(with(Map.of(
                        "outbox.thread-pool-siz", 3,
                        "outbox.dispatcher.workerCont", 2,
                        "outbox.consumer.enable", true,
                        "outbox.something.else", 1))))
                .containsExactlyInAnyOrder(
                        "outbox.consumer.enable is not a setting of the outbox and has no effect; did you mean"
                                + " outbox.consumer.enabled?",
                        "outbox.thread-pool-siz is not a setting of the outbox and has no effect; did you mean"
                                + " outbox.thread-pool-size?",
                        "outbox.dispatcher.workercont is not a setting of the outbox and has no effect; did you mean"
                                + " outbox.dispatcher.worker-count?",
                        "outbox.something.else is not a setting of the outbox and has no effect");
    }

    @Test
    void knownOnesAreNotHoweverTheyAreWritten() {
        assertThat(warnings(with(Map.ofEntries(
                        Map.entry("outbox.enabled", true),
                        Map.entry("outbox.threadPoolSize", 3),
                        Map.entry("outbox.poller.batch_size", 10),
                        Map.entry("outbox.purge.interval-seconds", 10),
                        Map.entry("outbox.tables.auto-create", true),
                        Map.entry("outbox.claim-locking.lock-timeout", "1m"),
                        Map.entry("outbox.consumer.enabled", false),
                        Map.entry("outbox.publisher.clean-up.ttl", "1h")))))
                .isEmpty();
    }

    @ConfigurationProperties("outbox.mine")
    record Mine(String key) {}

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(Mine.class)
    static class Own {}

    @Test
    void partsWithPropertiesOfTheirOwnAndTheEnvironmentAreLeftAlone() {
        assertThat(warnings(with(Map.of("outbox.mine.key", "x"))
                        .withUserConfiguration(Own.class)
                        .withInitializer(context -> context.getEnvironment()
                                .getPropertySources()
                                .replace(
                                        "systemEnvironment",
                                        new SystemEnvironmentPropertySource(
                                                "systemEnvironment", Map.of("OUTBOX_SERVICE_HOST", "10.0.0.1"))))))
                .isEmpty();
    }
}
