package io.outbox.spring.boot.modulith.shop;

public interface OrderEvent {

    String id();
}
