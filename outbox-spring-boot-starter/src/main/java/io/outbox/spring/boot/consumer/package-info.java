/**
 * The idempotent consumer in the application's transactions. Begin with {@link
 * io.outbox.spring.boot.consumer.OutboxConsumerAutoConfiguration}.
 */
package io.outbox.spring.boot.consumer;
