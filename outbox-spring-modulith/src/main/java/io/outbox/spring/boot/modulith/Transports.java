package io.outbox.spring.boot.modulith;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * Spring Modulith's transports. In outbox mode, Modulith's modules for Kafka, AMQP, JMS and messaging hand theirs to a
 * factory and keep what it makes to themselves, so the factory is replaced by one that takes note. Thread-safe.
 */
final class Transports implements BeanPostProcessor, ApplicationContextAware {

    private final List<OutboxEventExternalizer> externalizers = new CopyOnWriteArrayList<>();
    private final List<EventExternalizationTransport> known = new CopyOnWriteArrayList<>();
    private volatile boolean complete;

    @SuppressWarnings("NullAway.Init") // Spring sets it
    private ApplicationContext context;

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        this.context = applicationContext;
    }

    /** Returns what sends events, one for each transport that is known so far. */
    List<OutboxEventExternalizer> externalizers() {
        return externalizers;
    }

    /** Notes that all transports of the application are known. */
    void completed() {
        complete = true;
    }

    /** Returns whether the application has no transport, for certain. */
    boolean isEmpty() {
        return complete && externalizers.isEmpty();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) throws BeansException {
        return bean instanceof OutboxEventExternalizerFactory factory && !(bean instanceof NotingFactory)
                ? new NotingFactory(factory)
                : bean;
    }

    private final class NotingFactory extends OutboxEventExternalizerFactory {

        private final OutboxEventExternalizerFactory factory;

        private NotingFactory(OutboxEventExternalizerFactory factory) {
            super(context.getBean(EventExternalizationConfiguration.class), context);
            this.factory = factory;
        }

        @Override
        public OutboxEventExternalizer forTransport(EventExternalizationTransport transport) {
            OutboxEventExternalizer externalizer = factory.forTransport(transport);
            if (known.stream().noneMatch(other -> other == transport)) {
                known.add(transport);
                externalizers.add(externalizer);
            }
            return externalizer;
        }
    }
}
