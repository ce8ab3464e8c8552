package io.outbox.spring.boot.test.shop;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Outboxed;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Publishes what nobody in this application receives. */
@Service
@Transactional
public class Purchases {

    public record Purchased(String item) {}

    @Outboxed
    public record PurchaseCancelled(String item) {}

    private final OutboxPublisher outbox;
    private final ApplicationEventPublisher events;

    public Purchases(OutboxPublisher outbox, ApplicationEventPublisher events) {
        this.outbox = outbox;
        this.events = events;
    }

    public void buy(String item) {
        outbox.publish("Purchased", new Purchased(item));
    }

    public void cancel(String item) {
        events.publishEvent(new PurchaseCancelled(item));
    }
}
