package io.outbox.spring.boot.internal.brokers;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.internal.actuator.EventGaugesConfiguration;
import io.outbox.spring.boot.internal.delivery.ListenerBeans;
import io.outbox.spring.boot.internal.delivery.ListenerRoute;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import io.outbox.spring.boot.internal.settings.Rules;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Checks, before delivery starts, that the settings have got their effect: events go to the broker and to nobody else. */
public final class BrokerLanesCheck implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final BrokerLanes lanes;
    private final OutboxPublisherProperties properties;
    private final ExplicitSettings explicit;
    private final OutboxAssembler assembler;

    public BrokerLanesCheck(
            ListableBeanFactory beans,
            BrokerLanes lanes,
            OutboxPublisherProperties properties,
            ExplicitSettings explicit,
            OutboxAssembler assembler) {
        this.beans = beans;
        this.assembler = assembler;
        this.lanes = lanes;
        this.properties = properties;
        this.explicit = explicit;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Rules.require(
                !properties.isEnabled()
                        || !properties.getMetrics().getGauge().isEnabled()
                        || beans.containsBean(EventGaugesConfiguration.BEAN),
                EventGaugesConfiguration.KEY,
                true,
                "needs a MeterRegistry bean, such as that of spring-boot-starter-actuator");
        Set<String> listeners = ListenerBeans.names(beans);
        if (!properties.isEnabled() && !explicit.has(SettingsDecision.MODE) && !listeners.isEmpty()) {
            throw new IllegalStateException("With " + PublisherKeys.of("enabled") + "=false this instance only writes"
                    + " events, so the outbox listeners " + listeners + " would never be called; set "
                    + SettingsDecision.MODE + " if it is to deliver to listeners");
        }
        if (lanes.eventTypes().isEmpty()) {
            return;
        }
        if (!assembler.isUsed()) {
            throw new IllegalStateException(PublisherKeys.of("events") + " has the event types " + lanes.eventTypes()
                    + ", but no outbox was built from the settings: either there is no single DataSource, or the"
                    + " application defines an Outbox of its own, which must add lanes itself");
        }
        listeners.forEach(this::checkListener);
        beans.getBeanProvider(ListenerRegistry.class).ifUnique(this::checkRegistry);
    }

    private void checkListener(String beanName) {
        if (beans.getBean(beanName) instanceof EventListener listener) {
            OutboxListener annotation = beans.findAnnotationOnBean(beanName, OutboxListener.class);
            ListenerRoute route = annotation == null
                    ? ListenerRoute.of((BoundEventListener) listener)
                    : ListenerRoute.of(listener, annotation);
            if (lanes.eventTypes().contains(route.eventType())) {
                throw conflict("Outbox listener '" + beanName + "'", route.eventType());
            }
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

    private static IllegalStateException conflict(String listener, String eventType) {
        return new IllegalStateException(listener + " is for event type '" + eventType + "', which "
                + PublisherKeys.ofEvent(eventType, "topic")
                + " sends to the broker; an event type has one destination: remove one of the two");
    }
}
