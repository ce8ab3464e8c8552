package io.outbox.spring.boot.modulith.shop;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
public class Orders {

    private final ApplicationEventPublisher events;

    public Orders(ApplicationEventPublisher events) {
        this.events = events;
    }

    @Transactional
    public void publish(Object... published) {
        for (Object event : published) {
            events.publishEvent(event);
        }
    }

    @Transactional
    public void publishAndFail(Object event) {
        events.publishEvent(event);
        throw new IllegalStateException("the order cannot be completed after all");
    }

    public void publishWithoutTransaction(Object event) {
        events.publishEvent(event);
    }
}
