package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.internal.brokers.BrokerLanes;
import io.outbox.spring.boot.internal.delivery.Contributions;
import io.outbox.spring.boot.internal.delivery.DeadLetterConfiguration;
import io.outbox.spring.boot.internal.delivery.LateWriter;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.delivery.OutboxLifecycle;
import io.outbox.spring.boot.internal.delivery.StoreMeters;
import io.outbox.spring.boot.internal.jdbc.DataSourceChoice;
import io.outbox.spring.boot.internal.jdbc.JdbcEngineConfiguration;
import io.outbox.spring.boot.internal.jdbc.TransactionListening;
import io.outbox.spring.boot.internal.json.DefaultJsonCodec;
import io.outbox.spring.boot.internal.listeners.ListenerCatalog;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import io.outbox.spring.boot.internal.settings.UnknownKeys;
import java.util.List;
import java.util.function.Function;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

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
@Import({JdbcEngineConfiguration.class, DeadLetterConfiguration.class})
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

    @Bean
    @ConditionalOnMissingBean(ListenerRegistry.class)
    DefaultListenerRegistry outboxListenerRegistry() {
        return new DefaultListenerRegistry();
    }

    @Bean
    ListenerCatalog outboxListenerCatalog(ConfigurableListableBeanFactory beans, OutboxProperties properties) {
        return new ListenerCatalog(beans, properties);
    }

    @Bean
    OutboxAssembler outboxAssembler(
            ListableBeanFactory beans,
            ObjectProvider<BrokerLanes> brokers,
            ListenerCatalog catalog,
            ObjectProvider<StoreMeters> storeMeters,
            Environment environment) {
        return new OutboxAssembler(
                new Contributions(beans),
                brokers.getIfAvailable(BrokerLanes::none),
                catalog,
                storeMeters.getIfAvailable(() -> StoreMeters.NONE),
                environment);
    }

    /** Its outboxes check their tables, which may come from the application's migrations. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    OutboxFactory outboxFactory(
            OutboxAssembler assembler,
            OutboxSettings settings,
            ObjectProvider<Function<String, MetricsExporter>> metrics) {
        return new OutboxFactory(assembler, settings, metrics.getIfAvailable(() -> prefix -> MetricsExporter.NOOP));
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnBean(OutboxBackend.class)
    @ConditionalOnMissingBean
    Outbox outbox(
            OutboxAssembler assembler,
            OutboxSettings settings,
            OutboxBackend backend,
            ListenerRegistry listeners,
            ObjectProvider<MetricsExporter> metrics) {
        return assembler.assemble("", settings, backend, listeners, metrics.getIfAvailable(() -> MetricsExporter.NOOP));
    }

    @Bean
    @ConditionalOnSingleCandidate(Outbox.class)
    @ConditionalOnMissingBean
    OutboxWriter outboxWriter(ObjectProvider<Outbox> outbox) {
        return new LateWriter(SingletonSupplier.of(outbox::getObject));
    }

    /** In each of nested contexts, for the listeners of that context. */
    @Bean
    @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
    OutboxListenerRegistrar outboxListenerRegistrar(
            ListableBeanFactory beans,
            OutboxFactory outboxes,
            ListenerCatalog catalog,
            OutboxAssembler assembler,
            OutboxSettings settings) {
        return new OutboxListenerRegistrar(beans, outboxes, catalog, assembler, settings);
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxLifecycle outboxLifecycle(
            ObjectProvider<Outbox> outboxes,
            OutboxAssembler assembler,
            ApplicationContext context,
            OutboxSettings settings) {
        return new OutboxLifecycle(
                outboxes, assembler, context, settings.delivery().autoStartup());
    }

    /** Delivery does not wait for somebody to ask for the outbox, and its listeners read payloads. */
    @Bean
    static LazyInitializationExcludeFilter outboxIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(
                Outbox.class,
                OutboxSettings.class,
                OutboxListenerRegistrar.class,
                OutboxLifecycle.class,
                DataSourceChoice.class,
                TransactionListening.class,
                DefaultJsonCodec.class);
    }
}
