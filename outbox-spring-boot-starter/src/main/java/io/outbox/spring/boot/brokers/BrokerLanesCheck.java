package io.outbox.spring.boot.brokers;

import io.outbox.AggregateType;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.internal.delivery.DeliveryConfiguration;
import io.outbox.spring.boot.internal.delivery.Destination;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import java.util.stream.Stream;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Checks, before delivery starts, that the settings have got their effect: events go to the broker and to nobody else.
 */
final class BrokerLanesCheck implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final BrokerLanes lanes;
    private final OutboxAssembler assembler;
    private final ObjectProvider<Destination> destinations;

    BrokerLanesCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxAssembler assembler,
            ObjectProvider<Destination> destinations) {
        this.beans = beans;
        this.lanes = lanes;
        this.assembler = assembler;
        this.destinations = destinations;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (lanes.eventTypes().isEmpty()) {
            return;
        }
        if (!assembler.isUsed() && !outboxIsAStandIn()) {
            throw new OutboxStartupException(
                    PublisherKeys.of("events") + " has the event types " + lanes.eventTypes()
                            + ", but no outbox was built from the settings, so nothing would go to the broker",
                    "Either there is no single DataSource; mark one with @OutboxDataSource. Or the application defines its"
                            + " own Outbox, which must add lanes itself; build it with OutboxFactory");
        }
        destinations.forEach(other -> other.takers().forEach(this::checkTaker));
        beans.getBeanProvider(ListenerRegistry.class).ifUnique(this::checkRegistry);
    }

    /**
     * Tells an outbox that somebody has put in the place of ours, as the mock of a test, which delivers nothing anyway.
     */
    private boolean outboxIsAStandIn() {
        return beans instanceof ConfigurableListableBeanFactory definitions
                && Stream.of(beans.getBeanNamesForType(Outbox.class))
                        .anyMatch(name -> !definitions.containsBeanDefinition(name)
                                || !isMadeByTheApplication(definitions.getBeanDefinition(name)));
    }

    private static boolean isMadeByTheApplication(BeanDefinition outbox) {
        return outbox.getFactoryMethodName() != null
                && !DeliveryConfiguration.class.getName().equals(outbox.getFactoryBeanName());
    }

    private void checkTaker(String eventType, String taker) {
        if (lanes.eventTypes().contains(eventType)) {
            throw conflict(taker, eventType);
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
