package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot3.Boot3HealthIndicator;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Auto-configuration of the health indicator and the actuator endpoint. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(Outbox.class)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
public class OutboxActuatorAutoConfiguration {

    @Bean
    NamedOutboxes outboxesByName(Map<String, Outbox> beans, ObjectProvider<OutboxFactory> factory) {
        return NamedOutboxes.of(beans, factory.getIfUnique());
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxHealthCheck outboxHealthCheck(
            NamedOutboxes outboxes, OutboxSettings settings, ObjectProvider<WakeUp> wakeUp) {
        return new OutboxHealthCheck(outboxes.byName(), settings, wakeUp.getIfUnique());
    }

    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class Endpoints {

        @Bean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnMissingBean
        OutboxEndpoint outboxEndpoint(NamedOutboxes outboxes) {
            return new OutboxEndpoint(outboxes.byName());
        }

        @Bean
        @ConditionalOnBean(OutboxEndpoint.class)
        @ConditionalOnMissingBean
        OutboxEndpointWebExtension outboxEndpointWebExtension(OutboxEndpoint endpoint) {
            return new OutboxEndpointWebExtension(endpoint);
        }
    }

    /** Spring Boot 4. */
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @Conditional(OnOutboxHealth.class)
    static class Boot4Health {

        @Bean
        @ConditionalOnMissingBean(name = {"outboxHealthIndicator", "outboxHealthContributor"})
        OutboxHealthIndicator outboxHealthIndicator(OutboxHealthCheck check) {
            return new OutboxHealthIndicator(check);
        }
    }

    /** Spring Boot 3. */
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    @Conditional(OnOutboxHealth.class)
    static class Boot3Health {

        @Bean
        @ConditionalOnMissingBean(name = {"outboxHealthIndicator", "outboxHealthContributor"})
        Boot3HealthIndicator outboxHealthIndicator(OutboxHealthCheck check) {
            return new Boot3HealthIndicator(() -> {
                OutboxHealthCheck.Result result = check.check();
                return new Boot3HealthIndicator.Report(result.up(), result.details());
            });
        }
    }
}
