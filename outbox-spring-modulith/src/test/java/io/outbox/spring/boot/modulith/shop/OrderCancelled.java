package io.outbox.spring.boot.modulith.shop;

/** Stays inside the application. */
public record OrderCancelled(String id) implements OrderEvent {}
