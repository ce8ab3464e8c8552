/**
 * Change data capture: the rows that a log-based connector reads, as the records that {@code KafkaEventPublisher}
 * sends.
 */
@NullMarked
package io.outbox.cdc;

import org.jspecify.annotations.NullMarked;
