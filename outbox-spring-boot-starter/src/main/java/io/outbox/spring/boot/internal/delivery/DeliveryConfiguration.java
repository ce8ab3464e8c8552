package io.outbox.spring.boot.internal.delivery;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/** The outbox and its life with the application. */
@Import(DeliveryConfiguration.DeadLetters.class)
public class DeliveryConfiguration {

    /** When delivery starts and stops. Web servers have phases above this one, so they start later and stop earlier. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    @Bean
    OutboxAssembler outboxAssembler(ListableBeanFactory beans, Environment environment) {
        return new OutboxAssembler(new Contributions(beans), environment);
    }

    @Bean
    ListenerRegistries outboxListenerRegistries() {
        return new ListenerRegistries();
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

    /** Delivery does not wait for somebody to ask for the outbox. */
    @Bean
    static LazyInitializationExcludeFilter outboxIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(Outbox.class, OutboxLifecycle.class);
    }

    /** Dead letters, where the application wants them. */
    @ConditionalOnProperty(name = "outbox.publisher.dlq.enabled")
    @ConditionalOnPublisherEnabled
    static class DeadLetters {

        @Bean
        DeadLetterSettings outboxDeadLetterSettings(Environment environment, OutboxPublisherProperties publisher) {
            return DeadLetterSettings.of(new ExplicitSettings(environment), publisher)
                    .orElseThrow();
        }
    }
}
