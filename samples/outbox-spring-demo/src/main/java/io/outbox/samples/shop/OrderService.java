package io.outbox.samples.shop;

import java.util.Optional;
import java.util.UUID;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stores orders. An order and the event that tells of it are written in one transaction. */
@Service
class OrderService {

    private final JdbcClient jdbc;
    private final ApplicationEventPublisher events;

    OrderService(JdbcClient jdbc, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    public Order place(String item, int quantity) {
        Order order = new Order(UUID.randomUUID().toString(), item, quantity, false);
        jdbc.sql("INSERT INTO purchase_order (id, item, quantity) VALUES (?, ?, ?)")
                .params(order.id(), order.item(), order.quantity())
                .update();
        events.publishEvent(new OrderPlaced(order.id(), item, quantity));
        return order;
    }

    /** Confirms an order; doing so again changes nothing, since an event may come twice after a crash. */
    @Transactional
    public void confirm(String id) {
        jdbc.sql("UPDATE purchase_order SET confirmed = TRUE WHERE id = ?")
                .param(id)
                .update();
    }

    @Transactional(readOnly = true)
    public Optional<Order> find(String id) {
        return jdbc.sql("SELECT id, item, quantity, confirmed FROM purchase_order WHERE id = ?")
                .param(id)
                .query(Order.class)
                .optional();
    }
}
