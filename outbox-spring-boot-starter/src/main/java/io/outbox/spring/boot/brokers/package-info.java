/**
 * The event types that go to Kafka or RabbitMQ: their lanes, their routes and who sends them. Begin with {@link
 * io.outbox.spring.boot.brokers.OutboxBrokersAutoConfiguration}.
 */
package io.outbox.spring.boot.brokers;
