package io.outbox.spring.boot.internal.brokers;

import io.outbox.AggregateType;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.actuator.EventGaugesConfiguration;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.listeners.ListenerCatalog;
import io.outbox.spring.boot.internal.listeners.ListenerDefinition;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.spring.boot.internal.settings.Rules;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Checks, before delivery starts, that the settings have got their effect: events go to the broker and to nobody else. */
public final class BrokerLanesCheck implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final BrokerLanes lanes;
    private final OutboxPublisherProperties properties;
    private final ExplicitSettings explicit;
    private final OutboxAssembler assembler;
    private final ListenerCatalog catalog;

    public BrokerLanesCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxPublisherProperties properties,
            ExplicitSettings explicit,
            OutboxAssembler assembler,
            ListenerCatalog catalog) {
        this.beans = beans;
        this.catalog = catalog;
        this.assembler = assembler;
        this.lanes = lanes;
        this.properties = properties;
        this.explicit = explicit;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Rules.require(
                !properties.enabled()
                        || !properties.metrics().gauge().enabled()
                        || beans.containsBean(EventGaugesConfiguration.BEAN),
                EventGaugesConfiguration.KEY,
                true,
                "needs a MeterRegistry bean, such as that of spring-boot-starter-actuator");
        Set<String> listeners = catalog.descriptions();
        if (!properties.enabled() && !explicit.has(OutboxKeys.MODE) && !listeners.isEmpty()) {
            throw new OutboxStartupException(
                    "With " + PublisherKeys.of("enabled") + "=false this instance only writes events, so the outbox"
                            + " listeners " + listeners + " would never be called",
                    "Set " + OutboxKeys.MODE + " if it is to deliver to listeners");
        }
        if (lanes.eventTypes().isEmpty()) {
            return;
        }
        if (!assembler.isUsed() && !outboxIsAStandIn()) {
            throw new OutboxStartupException(
                    PublisherKeys.of("events") + " has the event types " + lanes.eventTypes()
                            + ", but no outbox was built from the settings, so nothing would go to the broker",
                    "Either there is no single DataSource; mark one with @OutboxDataSource. Or the application defines an"
                            + " Outbox of its own, which must add lanes itself; build it with OutboxFactory");
        }
        Stream.concat(catalog.annotated().stream(), catalog.bound().stream()).forEach(this::checkListener);
        beans.getBeanProvider(ListenerRegistry.class).ifUnique(this::checkRegistry);
    }

    /** Tells an outbox that somebody has put in the place of ours, as the mock of a test, which delivers nothing anyway. */
    private boolean outboxIsAStandIn() {
        return beans instanceof ConfigurableListableBeanFactory definitions
                && Stream.of(beans.getBeanNamesForType(Outbox.class))
                        .anyMatch(name -> !definitions.containsBeanDefinition(name)
                                || !isMadeByTheApplication(definitions.getBeanDefinition(name)));
    }

    private static boolean isMadeByTheApplication(BeanDefinition outbox) {
        return outbox.getFactoryMethodName() != null
                && !OutboxAutoConfiguration.class.getName().equals(outbox.getFactoryBeanName());
    }

    private void checkListener(ListenerDefinition listener) {
        if (listener.asSubscription().isEmpty()
                && lanes.eventTypes().contains(listener.route().eventType())) {
            throw conflict(
                    "Outbox listener '" + listener.description() + "'",
                    listener.route().eventType());
        }
    }

    private void checkRegistry(ListenerRegistry registry) {
        for (String eventType : lanes.eventTypes()) {
            EventListener listener = registry.listenerFor(AggregateType.GLOBAL.name(), eventType);
            if (listener != null) {
                throw conflict("A listener of class " + listener.getClass().getName(), eventType);
            }
        }
    }

    private static OutboxStartupException conflict(String listener, String eventType) {
        return new OutboxStartupException(
                listener + " is for event type '" + eventType + "', which " + PublisherKeys.ofEvent(eventType, "topic")
                        + " sends to the broker, and an event type has one destination",
                "Remove one of the two, or give the listener a subscription");
    }
}
