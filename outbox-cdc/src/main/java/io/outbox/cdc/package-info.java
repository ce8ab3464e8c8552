/** Change data capture: the rows that a log-based connector reads, as the records that {@code KafkaEventPublisher} sends. */
package io.outbox.cdc;
