package io.outbox.spring.boot.modulith.shop;

import org.springframework.modulith.events.Externalized;

@Externalized("orders::#{id()}")
public record OrderCompleted(String id, int amount) implements OrderEvent {}
