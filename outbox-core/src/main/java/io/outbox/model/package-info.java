/**
 * Stored events, and what can be told about them. Begin with {@link io.outbox.model.OutboxEvent}, the row, and
 * {@link io.outbox.model.EventStatus}, its life.
 */
@NullMarked
package io.outbox.model;

import org.jspecify.annotations.NullMarked;
