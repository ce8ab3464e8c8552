/**
 * Listeners of Kafka (of records) and RabbitMQ (of messages) that consume each event once, and the payloads of events
 * for all of them. Begin with {@link io.outbox.spring.boot.consumer.brokers.OutboxBrokerListenersAutoConfiguration}.
 */
package io.outbox.spring.boot.consumer.brokers;
