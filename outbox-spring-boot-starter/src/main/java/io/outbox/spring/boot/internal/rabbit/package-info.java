/** Idempotent {@code @RabbitListener}s, and the payloads of events for them. Internal: not for applications. */
package io.outbox.spring.boot.internal.rabbit;
