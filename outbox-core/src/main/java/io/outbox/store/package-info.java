/**
 * The relational engine: turns an {@link io.outbox.spi.OutboxStore} on connections into a storage engine. Begin with
 * {@link io.outbox.store.StoreBackend}; {@link io.outbox.store.Connections} and {@link io.outbox.store.OwnTransaction}
 * are for authors of stores.
 */
@NullMarked
package io.outbox.store;

import org.jspecify.annotations.NullMarked;
