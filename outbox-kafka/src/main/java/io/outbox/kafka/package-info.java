/** Publishing to Kafka: {@link io.outbox.kafka.KafkaEventPublisher} is a listener that sends what it gets to topics. */
package io.outbox.kafka;
