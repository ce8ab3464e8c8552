package io.outbox.samples.shop;

import io.outbox.spring.boot.Outboxed;

/** Goes to the outbox when it is published as an application event. */
@Outboxed(aggregateId = "#{orderId}")
record OrderPlaced(String orderId, String item, int quantity) {}
