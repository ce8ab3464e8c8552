package io.outbox.spring.boot.publishing;

import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.OutboxPublish;
import io.outbox.spring.boot.Outboxed;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.delivery.OutboxFeature;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of {@link OutboxPublisher}, and of {@link OutboxPublish} and {@link Outboxed}, which publish by
 * it.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(Outbox.class)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
public class OutboxPublisherAutoConfiguration {

    /**
     * What an outbox of the application's own making does is not known here. An instance that does not deliver by
     * itself does not judge either: its listeners may be elsewhere, or left out of a test.
     */
    @Bean
    Destinations outboxDestinations(
            ObjectProvider<ListenerRegistry> listeners,
            ListenerRegistries named,
            ObjectProvider<Destination> others,
            OutboxAssembler assembler,
            OutboxSettings settings) {
        return new Destinations(
                listeners.getIfUnique(),
                named,
                others.orderedStream().toList(),
                null,
                () -> assembler.isUsed() && settings.delivery().autoStartup());
    }

    @Bean
    ObjectEvents outboxObjectEvents(ConfigurableBeanFactory beans) {
        return new ObjectEvents(text -> text.isEmpty() ? text : beans.resolveEmbeddedValue(text));
    }

    @Bean
    Publishers outboxPublishers(ObjectEvents objects, ObjectProvider<Destinations> destinations) {
        return new Publishers(objects, destinations::getObject);
    }

    @Bean
    OutboxFeature outboxPublishing(Publishers publishers) {
        return outbox -> outbox.builder()
                .publisher((writer, codec) -> publishers.of(
                        outbox.name(), writer, codec, outbox.settings().mode()));
    }

    /** That of the outbox, unless the application builds this itself, or has a writer that stands before it. */
    @Bean
    @ConditionalOnSingleCandidate(OutboxWriter.class)
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "outbox.publisher.enabled", matchIfMissing = true)
    OutboxPublisher outboxPublisher(
            OutboxWriter writer,
            ObjectProvider<JsonCodec> codec,
            OutboxAssembler assembler,
            Publishers publishers,
            OutboxSettings settings) {
        OutboxPublisher own = publishers.of("", writer, codec.getIfUnique(), settings.mode());
        return new LatePublisher(SingletonSupplier.of(
                () -> assembler.outboxOf(writer).map(Outbox::publisher).orElse(own)));
    }

    /**
     * Application events go to the outbox whether or not this application publishes by other means. They reach the
     * listeners of parent contexts, too, so there is one for all. It is made with the first event of any kind, perhaps
     * while the database is still being initialized, so it asks for everything else when it is needed.
     */
    @Bean
    @ConditionalOnMissingBean
    OutboxedEvents outboxedEvents(
            ObjectEvents objects,
            ObjectProvider<OutboxPublisher> publisher,
            ObjectProvider<Outbox> outbox,
            ObjectProvider<OutboxFactory> outboxes) {
        return new OutboxedEvents(
                name -> name.isEmpty()
                        ? publisher.getIfUnique(() -> onlyOne(outbox, outboxes).publisher())
                        : outboxes.getObject().get(name).publisher(),
                objects);
    }

    private static Outbox onlyOne(ObjectProvider<Outbox> outbox, ObjectProvider<OutboxFactory> outboxes) {
        Outbox only = outbox.getIfUnique();
        if (only == null) {
            throw new IllegalStateException("There is not one outbox, but "
                    + outbox.stream().count() + "; @Outboxed(outbox = …) must choose one of "
                    + outboxes.getObject().names());
        }
        return only;
    }

    @Bean
    static OutboxPublishPostProcessor outboxPublishPostProcessor(Environment environment) {
        return new OutboxPublishPostProcessor(
                environment.getProperty("spring.aop.proxy-target-class", boolean.class, true));
    }
}
