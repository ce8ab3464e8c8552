package io.outbox.spring.boot.modulith;

import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Settings of Spring Modulith's events in the outbox.
 *
 * @param listeners Whether the outbox serves methods with @ApplicationModuleListener, in place of the event publication
 * registry.
 * @param batchSize How many events of one type are handed to Spring Modulith's transports in one call.
 * @param timeout How long the transports' answers to a batch are awaited.
 * @param renamedClasses Former names of event classes and their present ones, for events that wait under the former
 * name.
 */
@ConfigurationProperties("outbox.modulith")
public record OutboxModulithProperties(
        @DefaultValue("false") boolean listeners,
        @DefaultValue("100") int batchSize,
        @DefaultValue("2m") Duration timeout,
        @DefaultValue Map<String, String> renamedClasses) {

    public OutboxModulithProperties {
        if (batchSize < 1) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.modulith.batch-size", batchSize, "must be at least 1");
        }
        if (timeout.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new InvalidConfigurationPropertyValueException(
                    "outbox.modulith.timeout", timeout, "must be at least 1s");
        }
        renamedClasses = Map.copyOf(renamedClasses);
    }
}
