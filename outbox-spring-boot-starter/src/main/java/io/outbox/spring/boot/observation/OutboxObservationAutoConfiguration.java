package io.outbox.spring.boot.observation;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import io.outbox.spring.boot.observation.ObservedListeners.Observing;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of observations of writes and deliveries, where the application has an {@link ObservationRegistry}
 * that has a handler.
 */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(Outbox.class)
@ConditionalOnOutboxEnabled
public class OutboxObservationAutoConfiguration {

    /** Before other features look at what is to be written, since it adds headers. */
    @Bean
    @Order(-1000)
    OutboxFeature outboxObservedWrites(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<OutboxWriteConvention> convention) {
        return outbox -> {
            ObservationRegistry observations = registry.getIfAvailable(() -> ObservationRegistry.NOOP);
            if (!observations.isNoop()) {
                outbox.builder().writerHook(new ObservedWrites(observations, convention.getIfAvailable()));
            }
        };
    }

    /** Around the listeners of all other features. */
    @Bean
    @Order(1000)
    OutboxFeature outboxObservedListeners(
            ObjectProvider<ObservationRegistry> registry, ObjectProvider<OutboxProcessConvention> convention) {
        return outbox -> outbox.builder()
                .decorateListeners(listeners -> ObservedListeners.of(
                        listeners,
                        new Observing(
                                registry.getIfAvailable(() -> ObservationRegistry.NOOP), convention.getIfAvailable())));
    }
}
