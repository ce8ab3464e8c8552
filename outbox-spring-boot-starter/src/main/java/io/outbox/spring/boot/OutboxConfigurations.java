package io.outbox.spring.boot;

import java.util.stream.Stream;
import org.springframework.context.annotation.DeferredImportSelector;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/** What {@link EnableOutbox} imports: last of all, since the outbox's conditions ask for beans that others define. */
final class OutboxConfigurations implements DeferredImportSelector, Ordered {

    @Override
    public String[] selectImports(AnnotationMetadata importingClass) {
        return Stream.of(
                        OutboxJsonAutoConfiguration.class,
                        OutboxMicrometerAutoConfiguration.class,
                        OutboxAutoConfiguration.class,
                        OutboxPublisherAutoConfiguration.class,
                        OutboxConsumerAutoConfiguration.class,
                        OutboxBrokerListenersAutoConfiguration.class,
                        OutboxActuatorAutoConfiguration.class)
                .map(Class::getName)
                .toArray(String[]::new);
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
