package io.outbox.spring.boot.topics;

import io.outbox.spring.boot.Outboxed;

/** An event whose topic is set elsewhere, too. */
@Outboxed(type = "Order.packed", topic = "nowhere")
public record OrderPacked(int id) {}
