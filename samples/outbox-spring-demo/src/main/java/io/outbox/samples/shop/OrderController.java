package io.outbox.samples.shop;

import java.net.URI;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The shop over REST. */
@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    /** What a customer sends. */
    record OrderRequest(String item, int quantity) {}

    @PostMapping
    ResponseEntity<Order> place(@RequestBody OrderRequest request) {
        Order order = orders.place(request.item(), request.quantity());
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }

    @GetMapping("/{id}")
    ResponseEntity<Order> find(@PathVariable String id) {
        return ResponseEntity.of(orders.find(id));
    }
}
