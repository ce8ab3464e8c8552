/**
 * Publishing to RabbitMQ: {@link io.outbox.rabbitmq.RabbitEventPublisher} is a listener that sends what it gets to
 * exchanges.
 */
package io.outbox.rabbitmq;
