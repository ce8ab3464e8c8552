/** Publishing to Kafka: {@link io.outbox.kafka.KafkaEventPublisher} is a listener that sends what it gets to topics. */
@NullMarked
package io.outbox.kafka;

import org.jspecify.annotations.NullMarked;
