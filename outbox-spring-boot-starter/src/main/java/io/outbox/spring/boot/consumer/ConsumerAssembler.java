package io.outbox.spring.boot.consumer;

import io.micrometer.observation.ObservationRegistry;
import io.outbox.inbox.HeaderReaders;
import io.outbox.inbox.InboxMetrics;
import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spi.HeaderReader;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.cache.CacheManager;
import org.springframework.core.ResolvableType;

/** Builds consumers that differ in nothing but their names. */
final class ConsumerAssembler implements Function<String, OutboxIdempotentConsumer> {

    private final Supplier<JdbcInbox> inbox;
    private final ConsumerSettings settings;
    private final List<HeaderReader<?>> readers;
    private final InboxMetrics metrics;
    private final ObservationRegistry observations;
    private final Optional<ManagedCache> cache;

    /** Creates the assembler with what the application's beans add. */
    ConsumerAssembler(ListableBeanFactory beans, ConsumerSettings settings) {
        this.inbox = beans.getBeanProvider(JdbcInbox.class)::getObject;
        this.settings = settings;
        this.readers = beans.<HeaderReader<?>>getBeanProvider(ResolvableType.forClass(HeaderReader.class))
                .orderedStream()
                .toList();
        this.metrics = beans.getBeanProvider(InboxMetrics.class).getIfAvailable(() -> InboxMetrics.NOOP);
        this.observations =
                beans.getBeanProvider(ObservationRegistry.class).getIfAvailable(() -> ObservationRegistry.NOOP);
        this.cache = settings.cacheName()
                .map(name -> ManagedCache.of(name, beans.getBeanProvider(CacheManager.class), settings));
    }

    @Override
    public OutboxIdempotentConsumer apply(String name) {
        JdbcInbox.ConsumerBuilder builder = inbox.get()
                .consumer()
                .name(name)
                .idHeader(settings.idHeader())
                .unidentified(settings.unidentified())
                .metrics(metrics);
        for (int i = readers.size() - 1; i >= 0; i--) {
            builder.headerReader(readers.get(i));
        }
        settings.idExpression().map(IdExpression::of).ifPresent(builder::idExtractor);
        cache.ifPresent(builder::cache);
        OutboxIdempotentConsumer consumer = builder.build();
        return observations.isNoop()
                ? consumer
                : new ObservedConsumer(name, consumer, observations, HeaderReaders.of(readers));
    }
}
