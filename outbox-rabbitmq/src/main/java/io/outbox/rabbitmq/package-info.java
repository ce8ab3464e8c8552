/**
 * Publishing to RabbitMQ: {@link io.outbox.rabbitmq.RabbitEventPublisher} is a listener that sends what it gets to
 * exchanges.
 */
@NullMarked
package io.outbox.rabbitmq;

import org.jspecify.annotations.NullMarked;
