package io.outbox.spring.boot;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;
import java.util.Set;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Checks, before delivery starts, that the settings have got their effect: events go to the broker and to nobody else. */
final class PublisherCheck implements SmartInitializingSingleton {

    private final ListableBeanFactory beans;
    private final PublisherLanes lanes;
    private final OutboxPublisherProperties properties;
    private final ExplicitSettings explicit;

    PublisherCheck(
            ListableBeanFactory beans,
            PublisherLanes lanes,
            OutboxPublisherProperties properties,
            ExplicitSettings explicit) {
        this.beans = beans;
        this.lanes = lanes;
        this.properties = properties;
        this.explicit = explicit;
    }

    @Override
    public void afterSingletonsInstantiated() {
        OutboxPublisherPropertiesCheck.require(
                !properties.isEnabled()
                        || !properties.getMetrics().getGauge().isEnabled()
                        || beans.containsBean(PublisherGaugesConfiguration.BEAN),
                PublisherGaugesConfiguration.KEY,
                true,
                "needs a MeterRegistry bean, such as that of spring-boot-starter-actuator");
        Set<String> listeners = ListenerBeans.names(beans);
        if (!properties.isEnabled() && !explicit.has(SettingsReconciler.MODE) && !listeners.isEmpty()) {
            throw new IllegalStateException("With " + PublisherKeys.of("enabled") + "=false this instance only writes"
                    + " events, so the outbox listeners " + listeners + " would never be called; set "
                    + SettingsReconciler.MODE + " if it is to deliver to listeners");
        }
        if (lanes.eventTypes().isEmpty()) {
            return;
        }
        if (!lanes.isAdded()) {
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
