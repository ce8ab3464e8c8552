package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.spring.boot.internal.delivery.DeliveryConfiguration;
import io.outbox.spring.boot.internal.jdbc.JdbcEngineConfiguration;
import io.outbox.spring.boot.internal.listeners.ListenersConfiguration;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import io.outbox.spring.boot.internal.settings.UnknownKeys;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the outbox: from the application's DataSource, its {@link OutboxListener} beans and
 * {@link OutboxProperties}. Every bean gives way to one of the application.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@ConditionalOnClass(Outbox.class)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({OutboxGlobalProperties.class, OutboxPublisherProperties.class})
@Import({JdbcEngineConfiguration.class, ListenersConfiguration.class, DeliveryConfiguration.class})
public class OutboxAutoConfiguration {

    private static final String PROPERTIES = "outboxProperties";

    @Bean(PROPERTIES)
    OutboxProperties outboxProperties() {
        return new OutboxProperties();
    }

    /** The settings that are in force; everything else asks for these. */
    @Bean
    OutboxSettings outboxSettings(
            Environment environment,
            ListableBeanFactory beans,
            OutboxGlobalProperties global,
            OutboxPublisherProperties publisher,
            OutboxProperties outbox) {
        UnknownKeys.warn(environment, beans);
        return new SettingsDecision(new ExplicitSettings(environment), global, publisher).decide(outbox);
    }

    /** The settings of {@code outbox.*} stay the ones in use where the application has more, for other outboxes. */
    @Bean
    static BeanFactoryPostProcessor outboxPrimaryProperties() {
        return beans -> {
            List<String> names = List.of(beans.getBeanNamesForType(OutboxProperties.class, true, false));
            boolean chosen = names.stream()
                    .anyMatch(name -> beans.containsBeanDefinition(name)
                            && beans.getBeanDefinition(name).isPrimary());
            if (!chosen && names.contains(PROPERTIES)) {
                beans.getBeanDefinition(PROPERTIES).setPrimary(true);
            }
        };
    }

    /** Mistakes show at start-up. */
    @Bean
    static LazyInitializationExcludeFilter outboxSettingsAreNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(OutboxSettings.class);
    }
}
