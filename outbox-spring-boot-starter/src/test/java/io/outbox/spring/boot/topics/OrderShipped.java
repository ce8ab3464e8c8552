package io.outbox.spring.boot.topics;

import io.outbox.spring.boot.Outboxed;

/** An event that says itself where it goes, and with which key. */
@Outboxed(type = "order-shipped", topic = "${shipped.topic}-#{payload.region}", key = "#{region}")
public record OrderShipped(String region) {}
