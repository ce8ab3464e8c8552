/**
 * The relational engine: turns an {@link io.outbox.spi.OutboxStore} on connections into a storage engine. Begin with
 * {@link io.outbox.internal.store.StoreBackend}.
 */
package io.outbox.internal.store;
