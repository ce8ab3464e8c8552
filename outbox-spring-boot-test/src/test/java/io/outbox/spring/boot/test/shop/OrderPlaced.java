package io.outbox.spring.boot.test.shop;

public record OrderPlaced(String orderId, int total) {}
