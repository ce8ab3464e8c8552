/** The event types that go to Kafka or RabbitMQ, and who sends them. Internal: not for applications. */
package io.outbox.spring.boot.internal.brokers;
