package io.outbox.samples.shop;

import io.outbox.spring.boot.OutboxListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Confirms orders after they were placed: a shop would send a mail here. */
@Component
class OrderConfirmation {

    private static final Logger LOG = LoggerFactory.getLogger(OrderConfirmation.class);

    private final OrderService orders;

    OrderConfirmation(OrderService orders) {
        this.orders = orders;
    }

    @OutboxListener
    void confirm(OrderPlaced order) {
        orders.confirm(order.orderId());
        LOG.info("Confirmed order {}", order.orderId());
    }
}
