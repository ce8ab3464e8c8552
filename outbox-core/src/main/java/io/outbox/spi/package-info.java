/**
 * What the outbox asks of its surroundings: storage, transactions, JSON, metrics, context. Begin with
 * {@link io.outbox.spi.OutboxBackend} for a storage engine, or {@link io.outbox.spi.OutboxStore} for a database.
 */
@NullMarked
package io.outbox.spi;

import org.jspecify.annotations.NullMarked;
