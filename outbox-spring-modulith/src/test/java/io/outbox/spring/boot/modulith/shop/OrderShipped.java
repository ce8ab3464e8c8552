package io.outbox.spring.boot.modulith.shop;

import org.springframework.modulith.events.Externalized;

@Externalized("shipments::#{id()}")
public record OrderShipped(String id) implements OrderEvent {}
