package io.outbox.samples.shop;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.spring.boot.OutboxListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Confirms orders after they were placed: a shop would send a mail here. */
@OutboxListener(eventType = OrderPlaced.TYPE)
class OrderConfirmation implements EventListener {

    private static final Logger LOG = LoggerFactory.getLogger(OrderConfirmation.class);

    private final OrderService orders;

    OrderConfirmation(OrderService orders) {
        this.orders = orders;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
        OrderPlaced order = event.payload(OrderPlaced.class);
        orders.confirm(order.orderId());
        LOG.info("Confirmed order {}", order.orderId());
        return DispatchResult.done();
    }
}
