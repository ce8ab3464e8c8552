package io.outbox.spring.boot.modulith;

import io.outbox.OutboxPublisher;
import io.outbox.OutboxRouter;
import io.outbox.OutboxWriter;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxCustomizer;
import io.outbox.spring.boot.OutboxPublisherProperties;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * Auto-configuration of Spring Modulith's events in the outbox: externalized events with {@code
 * spring.modulith.events.externalization.mode=outbox}, and module listeners with {@code
 * outbox.modulith.listeners=true}.
 */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, EventExternalizationAutoConfiguration.class})
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxModulithProperties.class)
public class OutboxModulithAutoConfiguration {

    @Bean
    static WithoutRegistry outboxModulithWithoutRegistry() {
        return new WithoutRegistry();
    }

    @Bean
    static Receivers outboxModulithReceivers() {
        return new Receivers();
    }

    @Bean
    static ModulithWriter outboxModulithWriter(ObjectProvider<OutboxWriter> writer, ObjectProvider<JsonCodec> codec) {
        return new ModulithWriter(writer, codec);
    }

    @Bean
    EventClasses outboxModulithEventClasses(OutboxModulithProperties properties, GenericApplicationContext context) {
        return new EventClasses(properties.renamedClasses(), context.getClassLoader());
    }

    @Bean
    OutboxCustomizer outboxModulithListeners(Receivers receivers) {
        return builder -> builder.decorateListeners(receivers::inFrontOf);
    }

    /** Events that Spring Modulith externalizes in outbox mode, of which its factory is the sign. */
    @ConditionalOnBean(OutboxEventExternalizerFactory.class)
    static class Externalization {

        @Bean
        static Transports outboxModulithTransports() {
            return new Transports();
        }

        /** It is made with the first event of any kind, so it asks for everything else when it is needed. */
        @Bean
        ExternalizedEvents outboxModulithExternalizedEvents(
                ObjectProvider<EventExternalizationConfiguration> configuration,
                ObjectProvider<OutboxPublisher> publisher,
                ObjectProvider<OutboxPublisherProperties> settings,
                ModulithWriter writer,
                Transports transports,
                BeanFactory beans) {
            StandardEvaluationContext expressions = new StandardEvaluationContext();
            expressions.setBeanResolver(new BeanFactoryResolver(beans));
            return new ExternalizedEvents(
                    configuration, publisher, settings, new ToTransports(transports, writer), expressions);
        }

        /** No candidate for autowiring, because that would make it a listener of the application. */
        @Bean(autowireCandidate = false)
        ExternalizationListener outboxModulithExternalization(
                EventExternalizationConfiguration configuration,
                Transports transports,
                EventClasses classes,
                OutboxModulithProperties properties,
                Receivers receivers) {
            ExternalizationListener listener =
                    new ExternalizationListener(configuration, transports, classes, properties);
            receivers.add(ExternalizationListener.NAME, listener);
            return listener;
        }

        @Bean
        @ConditionalOnMissingBean(OutboxRouter.class)
        ModulithRouter outboxModulithRouter() {
            return new ModulithRouter();
        }

        /** Adds the application's own transports, and refuses to start without any way out. */
        @Bean
        SmartInitializingSingleton outboxModulithTransportsCheck(
                Transports transports,
                OutboxEventExternalizerFactory factory,
                ObjectProvider<EventExternalizationTransport> own,
                OutboxPublisherProperties publisher) {
            return () -> {
                own.orderedStream().forEach(factory::forTransport);
                transports.completed();
                boolean sends = publisher.enabled() && !publisher.events().isEmpty();
                if (transports.isEmpty() && !sends) {
                    throw new ModulithSetupException(
                            "spring.modulith.events.externalization.mode is outbox, but there is nothing that would send the"
                                    + " events",
                            "Add one of Spring Modulith's transports, for example"
                                    + " org.springframework.modulith:spring-modulith-events-kafka, or a bean of type"
                                    + " EventExternalizationTransport; or name the event types below"
                                    + " outbox.publisher.events for the outbox's own senders");
                }
            };
        }

        /** Mistakes show at start-up, and the listener is there before the first delivery. */
        @Bean
        static LazyInitializationExcludeFilter outboxModulithIsNotLazy() {
            return (name, definition, type) -> name.startsWith("outboxModulith");
        }
    }

    /** Module listeners that the outbox serves. */
    @ConditionalOnProperty(name = "outbox.modulith.listeners", havingValue = "true")
    static class ModuleListeners {

        @Bean
        static ModuleListenerFactory outboxModulithListenerFactory(
                ModulithWriter writer, Receivers receivers, ObjectProvider<EventClasses> classes) {
            return new ModuleListenerFactory(writer, receivers, classes::getObject);
        }
    }
}
