package io.outbox.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
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
@EnableConfigurationProperties(OutboxProperties.class)
@Import(OutboxJdbcConfiguration.class)
public class OutboxAutoConfiguration {

    /** The settings of {@code outbox.*} stay the ones in use where the application has more, for other outboxes. */
    @Bean
    static BeanFactoryPostProcessor outboxPrimaryProperties() {
        return beans -> {
            List<String> names = List.of(beans.getBeanNamesForType(OutboxProperties.class, true, false));
            boolean chosen = names.stream()
                    .anyMatch(name -> beans.containsBeanDefinition(name)
                            && beans.getBeanDefinition(name).isPrimary());
            if (!chosen && names.contains(SettingsReconciler.BOUND)) {
                beans.getBeanDefinition(SettingsReconciler.BOUND).setPrimary(true);
            }
        };
    }

    @Bean
    @ConditionalOnMissingBean(ListenerRegistry.class)
    DefaultListenerRegistry outboxListenerRegistry() {
        return new DefaultListenerRegistry();
    }

    @Bean
    OutboxAssembler outboxAssembler(
            ListableBeanFactory beans,
            ObjectProvider<RetryPolicy> retryPolicy,
            ObjectProvider<ObservationRegistry> observations,
            ObjectProvider<PublisherLanes> publisher,
            Environment environment) {
        return new OutboxAssembler(Contributions.of(beans), retryPolicy, observations, environment)
                .publisher(publisher.getIfAvailable(PublisherLanes::none));
    }

    /** Its outboxes check their tables, which may come from the application's migrations. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    OutboxFactory outboxFactory(
            OutboxAssembler assembler,
            OutboxProperties properties,
            ObjectProvider<Function<String, MetricsExporter>> metrics) {
        return new OutboxFactory(assembler, properties, metrics.getIfAvailable(() -> prefix -> MetricsExporter.NOOP));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnBean(OutboxBackend.class)
    @ConditionalOnMissingBean
    Outbox outbox(
            OutboxAssembler assembler,
            OutboxProperties properties,
            OutboxBackend backend,
            ListenerRegistry listeners,
            ObjectProvider<MetricsExporter> metrics) {
        return assembler.assemble(properties, backend, listeners, metrics.getIfAvailable(() -> MetricsExporter.NOOP));
    }

    @Bean
    @ConditionalOnSingleCandidate(Outbox.class)
    @ConditionalOnMissingBean
    OutboxWriter outboxWriter(Outbox outbox) {
        return outbox.writer();
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxListenerRegistrar outboxListenerRegistrar(ListableBeanFactory beans, OutboxFactory outboxes) {
        return new OutboxListenerRegistrar(beans, outboxes);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxLifecycle outboxLifecycle(ObjectProvider<Outbox> outboxes, ApplicationContext context) {
        return new OutboxLifecycle(outboxes, context);
    }

    /** Delivery does not wait for somebody to ask for the outbox, and its listeners read payloads. */
    @Bean
    static LazyInitializationExcludeFilter outboxIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(
                Outbox.class,
                OutboxListenerRegistrar.class,
                OutboxLifecycle.class,
                TransactionListening.class,
                DefaultJsonCodec.class);
    }
}
